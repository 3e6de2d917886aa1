#include "cli/evaluate_report.hpp"

#include "cli/style.hpp"
#include "cli/table.hpp"
#include "matrix/number.hpp"

#include <set>

#include <fmt/format.h>

namespace sptune::cli {
namespace {

using models::Evaluation;
using models::Score;
using Json = nlohmann::ordered_json;

std::string tenths_of_percent(double share) {
    return fmt::format("{:.1f} %", 100 * share);
}

std::string scores_table(const Evaluation& e, Op op, const Style& style) {
    const std::string plain = op == Op::spmv ? "CSR" : "plain";
    const bool twice = e.scores.front().without_luck.matrices > 0;
    std::vector<Column> columns{
        {"", Align::left}, {"× " + plain},
        {"regret: mean"},  {"p95"},
        {"worst"},         {"", Align::left},
        {"within 5 %"},    {op == Op::spmv ? "format right" : "algorithm right"},
        {"< " + plain},    {"< 0.95 " + plain}};
    constexpr int kAfterP95 = 4;
    if (twice) columns.insert(columns.begin() + kAfterP95, {{"without luck: mean"}, {"p95"}});
    Table table(std::move(columns));
    const auto add = [&](const Score& s, const std::string& name) {
        std::vector<std::string> cells{name,
                                       fmt::format("{:.2f}", s.speedup),
                                       tenths_of_percent(s.geomean),
                                       tenths_of_percent(s.p95),
                                       tenths_of_percent(s.misses.empty() ? 0 : s.misses[0].regret),
                                       s.misses.empty() ? "" : s.misses[0].matrix,
                                       tenths_of_percent(s.within_5),
                                       tenths_of_percent(s.right_format),
                                       tenths_of_percent(s.slower),
                                       tenths_of_percent(s.slower_5)};
        const auto& other = s.without_luck;
        if (twice)
            cells.insert(cells.begin() + kAfterP95,
                         {other.matrices > 0 ? tenths_of_percent(other.geomean) : "-",
                          other.matrices > 0 ? tenths_of_percent(other.p95) : "-"});
        table.add(std::move(cells));
    };
    const auto with_count = [](const std::string& name, int count) {
        return fmt::format("{}, {}", name, with_noun(std::to_string(count), "sweep"));
    };
    const Score& first = e.scores.front();
    for (const Score& s : e.scores)
        add(s, s.matrices == first.matrices ? s.name : with_count(s.name, s.matrices));
    for (const Score& s : e.by_device)
        add(s, with_count(fmt::format("{} on {}", first.name, s.name), s.matrices));
    return table.render(style, 140);
}

/// Rows: the format of the best; columns: the format that was chosen.
std::string confusion_table(const Score& score, const Style& style) {
    std::set<std::string> formats;
    for (const auto& [best, row] : score.confusion) {
        formats.insert(best);
        for (const auto& [chosen, count] : row) formats.insert(chosen);
    }
    std::vector<Column> columns{{"best is", Align::left}};
    for (const std::string& format : formats) columns.push_back({format});
    Table table(std::move(columns));
    for (const auto& [best, row] : score.confusion) {
        std::vector<std::string> cells{best};
        for (const std::string& format : formats) {
            const auto found = row.find(format);
            cells.push_back(found == row.end() ? "" : std::to_string(found->second));
        }
        table.add(std::move(cells));
    }
    return table.render(style, 140);
}

Json encode(const Score& s) {
    Json confusion = Json::object();
    for (const auto& [best, row] : s.confusion) confusion[best] = row;
    Json misses = Json::array();
    for (const Score::Miss& m : s.misses)
        misses.push_back(
            {{"matrix", m.matrix}, {"regret", m.regret}, {"chosen", m.chosen}, {"best", m.best}});
    Json without_luck = nullptr;
    if (s.without_luck.matrices > 0)
        without_luck = {{"samples", s.without_luck.matrices},
                        {"geomean", s.without_luck.geomean},
                        {"p95", s.without_luck.p95}};
    return {{"name", s.name},
            {"samples", s.matrices},
            {"speedup_vs_csr", s.speedup},
            {"regret",
             {{"geomean", s.geomean},
              {"p95", s.p95},
              {"worst", misses.empty() ? Json(0) : misses[0]["regret"]}}},
            {"regret_without_luck", without_luck},
            {"within_5_percent", s.within_5},
            {"right_format", s.right_format},
            {"slower_than_csr", s.slower},
            {"slower_than_csr_by_5_percent", s.slower_5},
            {"misses", std::move(misses)},
            {"confusion", std::move(confusion)}};
}

}  // namespace

Json evaluate_document(const Evaluation& e, const std::string& backend, Op op, double calls) {
    Json scores = Json::array(), devices = Json::array();
    for (const Score& s : e.scores) scores.push_back(encode(s));
    for (const Score& s : e.by_device) devices.push_back(encode(s));
    return {{"schema", "sptune.evaluate/1"},
            {"backend", backend},
            {"op", to_string(op)},
            {"protocol", e.protocol},
            {"matrices", e.matrices},
            {"groups", e.groups},
            {"calls", calls},
            {"scores", std::move(scores)},
            {"devices", devices}};
}

std::string evaluate_report(const Evaluation& e, const std::string& backend, Op op) {
    const Style style(stdout);
    std::string text =
        fmt::format("{}: {} of {}; {}\n\n", backend,
                    with_noun(std::to_string(e.matrices), "matrix", "matrices"),
                    with_noun(std::to_string(e.groups), "family", "families"), e.protocol);
    text += scores_table(e, op, style);
    for (std::size_t i = 0; i < e.scores.size() && i < 2; ++i)
        if (e.scores[i].confusion.size() > 1 && e.scores[i].name != "heuristic")
            text += fmt::format("\n{}: best format (rows), chosen format (columns)\n{}",
                                e.scores[i].name, confusion_table(e.scores[i], style));
    return text;
}

}  // namespace sptune::cli
