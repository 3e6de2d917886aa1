// sptune features MATRIX
#include "cli/commands.hpp"
#include "cli/describe.hpp"
#include "cli/exit_code.hpp"
#include "cli/matrix_input.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/stopwatch.hpp"
#include "cli/table.hpp"
#include "db/codec.hpp"
#include "matrix/number.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace sptune::cli {
namespace {

/// Tables of (name, value, meaning), one per group of features.
class FeatureText {
  public:
    FeatureText(const Features& f, const Style& style) : f_(f), style_(style) {}

    std::string text() {
        group("Rows", {{"shortest, longest", count(f_.row_min) + ", " + count(f_.row_max)},
                       {"mean, median", numbers({f_.row_mean, f_.row_median})},
                       {"standard deviation", significant(f_.row_std)},
                       {"coefficient of variation", significant(f_.row_cv)},
                       {"skewness", significant(f_.row_skew)},
                       {"Gini coefficient", significant(f_.row_gini)},
                       {"empty", count(f_.empty_rows)},
                       {"difference of neighbours", significant(f_.row_neighbour_diff)},
                       {"imbalance over 32 rows", factor(f_.warp_imbalance)}});
        group("Diagonals", {{"occupied", count(f_.diagonals)},
                            {"at least 60 % full", count(f_.dense_diagonals)},
                            {"nonzeros on those", percent(f_.dense_diagonal_share)},
                            {"on the fullest 1, 4, 16, 64", percents(f_.top_diagonal_share)},
                            {"going on in the next row", percent(f_.diagonal_runs.value_or(0))},
                            {"bandwidth max, mean",
                             count(f_.bandwidth_max) + ", " + significant(f_.bandwidth_mean)},
                            {"profile", count(f_.profile)}});
        group("Symmetry", {{"pattern", percent(f_.pattern_symmetry)},
                           {"values", percent(f_.value_symmetry)},
                           {"all values equal", f_.constant_values ? "yes" : "no"}});
        group("Locality of x", {{"nonzeros per cache line", significant(f_.cols_per_line)},
                                {"gap between columns", significant(f_.column_gap)},
                                {"jump between rows", significant(f_.reuse_distance)}});
        std::vector<Fact> storage{
            {"DIA full", percent(f_.dia_fill)},
            {"ELL full", percent(f_.ell_fill)},
            {"HYB left over at 50, 75, 90, 95 %", percents(f_.hyb_remainder)}};
        for (const BsrFill& fill : f_.bsr)
            storage.push_back({fmt::format("BSR {}×{} full", fill.r, fill.c), percent(fill.fill)});
        add_paddings(f_.sell, storage);
        group("Storage", storage);
        if (!f_.long_rows) return out_;
        std::vector<Fact> beside{{"nonzeros of such rows", percent(f_.long_rows->share)}};
        add_paddings(f_.long_rows->sell, beside);
        group("Storage on a CPU, where very long rows lie beside slices", beside);
        return out_;
    }

  private:
    using Fact = std::pair<std::string, std::string>;

    static void add_paddings(const std::vector<SellPadding>& sell, std::vector<Fact>& storage) {
        for (std::size_t i = 0; i < sell.size();) {
            const int c = sell[i].c;
            std::vector<std::string> sigmas, paddings;
            for (; i < sell.size() && sell[i].c == c; ++i) {
                sigmas.push_back(sell[i].sigma == kAll ? "n" : std::to_string(sell[i].sigma));
                paddings.push_back(percent(sell[i].padding));
            }
            storage.push_back({fmt::format("SELL-{} padding, σ {}", c, fmt::join(sigmas, ", ")),
                               fmt::format("{}", fmt::join(paddings, ", "))});
        }
    }

    void group(const std::string& title, const std::vector<Fact>& facts) {
        Table table({{"", Align::left}, {"", Align::left}});
        for (const auto& [name, value] : facts)
            table.add(
                {name + std::string(kNameWidth - std::min(kNameWidth, display_width(name)), ' '),
                 value});
        out_ += "\n" + style_(Tone::bold, title) + "\n" + table.render(style_);
    }

    template <class Shares>
    static std::string percents(const Shares& shares) {
        std::vector<std::string> words;
        for (const double share : shares) words.push_back(percent(share));
        return fmt::format("{}", fmt::join(words, ", "));
    }

    static std::string numbers(std::initializer_list<double> values) {
        std::vector<std::string> words;
        for (const double value : values) words.push_back(plain(value));
        return fmt::format("{}", fmt::join(words, ", "));
    }

    static constexpr std::size_t kNameWidth = 44;  ///< aligns the groups with one another
    const Features& f_;
    const Style& style_;
    std::string out_;
};

}  // namespace

int run_features(const std::vector<std::string>& args) {
    std::vector<std::string> files;
    std::string json;
    int threads = 0;
    Options options(
        "features", "MATRIX",
        "Shows what sptune sees in a matrix: everything that its predictions are made from.");
    options.operands(files, 1, 1)
        .text("json", "FILE|-", json, "write the same as JSON; - prints it alone on stdout")
        .integer("threads", "N", threads, 0, 4096, "threads to use (0: all)")
        .example("sptune features matrix.mtx")
        .example("sptune features matrix.mtx --json - | jq .features.row_max");
    if (!options.parse(args)) return kOk;
    require_outputs({{"--json", json}}, files);

    return with_matrix(files[0], {ValueType::f64, threads}, [&](const auto& matrix) {
        const Stopwatch watch;
        const Features features = extract_features(matrix.view(), threads);
        const double extract_us = watch.seconds() * 1e6;
        const std::string name = matrix_name(files[0]);
        if (!json.empty())
            write_json(json, {{"schema", "sptune.features/1"},
                              {"matrix",
                               {{"name", name},
                                {"path", files[0]},
                                {"rows", features.rows},
                                {"cols", features.cols},
                                {"nnz", features.nnz},
                                {"fingerprint", fmt::format("{:016x}", features.fingerprint)}}},
                              {"features", db::to_json(features)},
                              {"extract_us", extract_us}});
        if (json == "-") return kOk;
        const Style style(stdout);
        std::string head = fmt::format(
            "{}  {} × {}, {}, density {:.3g}\n{}\n", style(Tone::bold, name), count(features.rows),
            count(features.cols), with_noun(count(features.nnz), "nonzero"), features.density,
            wrap(fmt::format("{}", fmt::join(describe(features), "; ")), 100, 0));
        const std::string sparkline = row_length_sparkline(matrix.view(), features);
        if (!sparkline.empty()) head += "rows by length: " + sparkline + "\n";
        const std::string foot = fmt::format(
            "\nextracted in {}{}\n", duration_us(extract_us),
            features.sampled_share < 1 ? fmt::format(", fills and symmetry from {} of the rows",
                                                     percent(features.sampled_share))
                                       : "");
        write_text("-", head + FeatureText(features, style).text() + foot);
        return kOk;
    });
}

}  // namespace sptune::cli
