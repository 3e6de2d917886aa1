#include "cli/compare_report.hpp"

#include "cli/describe.hpp"
#include "cli/table.hpp"
#include "matrix/number.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sptune::cli {
namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kNameWidth = 20;

using Timed = Comparison::Timed;

std::string ratio(const std::optional<double>& value) {
    return value ? factor(*value) : "-";
}

std::string us(const std::optional<Timed>& t) {
    return t ? significant(t->time_us) : "-";
}

/// Which kernels: the table of times has no room for their names.
std::string choices(const std::vector<Comparison>& comparisons, const Style& style) {
    Table table({{"matrix", Align::left},
                 {"oracle", Align::left},
                 {"vendor's best", Align::left},
                 {"auto", Align::left},
                 {"select"},
                 {"convert"}},
                1, 2);
    for (const Comparison& c : comparisons) {
        if (!c.oracle) {
            table.add({fit(c.matrix, kNameWidth), "nothing could be measured"}, Tone::bad);
            continue;
        }
        const std::string chosen = !c.chosen                      ? "missing"
                                   : c.chosen->id == c.oracle->id ? "the oracle"
                                                                  : c.chosen->name;
        table.add({fit(c.matrix, kNameWidth), c.oracle->name,
                   c.vendor_best() ? c.vendor_best()->name : "-",
                   fmt::format("{} ({})", chosen, c.choice.source), duration_us(c.choice.select_us),
                   c.chosen ? duration_us(c.chosen->convert_us) : "-"},
                  c.chosen ? Tone::plain : Tone::bad);
    }
    return table.render(style, kWidth);
}

/// What is missing in the tables, a line for each.
std::string gaps(const std::vector<Comparison>& comparisons) {
    std::string text;
    const auto say = [&](const std::string& line) {
        text += " " + wrap(line, kWidth - 1, 1) + "\n";
    };
    std::vector<std::string> partial;
    for (const Comparison& c : comparisons) {
        if (!c.complete) partial.push_back(c.matrix);
        if (!c.chosen && c.oracle)
            say(fmt::format("{}: auto, {}, {}", c.matrix, c.choice.id, c.missing));
    }
    if (!partial.empty())
        say(
            fmt::format("partial: not all kernels were measured on {}, so that the oracle may not "
                        "be the fastest",
                        fmt::join(partial, ", ")));
    return text;
}

/// Of which matrices kernels were measured without values; "" where there are none.
std::string without_values(const std::vector<Comparison>& comparisons) {
    std::vector<std::string> names;
    for (const Comparison& c : comparisons)
        if (c.without_values) names.push_back(c.matrix);
    if (names.empty()) return "";
    const std::string text = fmt::format("{}: {}", fmt::join(names, ", "), kWithoutValues);
    return " " + wrap(text, kWidth - 1, 1) + "\n";
}

std::vector<std::string> with_ratios(std::vector<std::string> cells, const Ratios& r) {
    cells.insert(cells.end(), {ratio(r.oracle_vs_vendor_best), ratio(r.auto_vs_vendor_best),
                               ratio(r.auto_vs_csr), ratio(r.auto_vs_oracle)});
    return cells;
}

bool is_product(const std::vector<Comparison>& comparisons) {
    return comparisons.front().op == Op::spgemm;
}

std::string times(const std::vector<Comparison>& comparisons, const Style& style) {
    Table table({{"", Align::left},
                 {""},
                 {""},
                 {"µs"},
                 {"µs"},
                 {"µs"},
                 {"µs"},
                 {"µs"},
                 {"oracle"},
                 {"auto"},
                 {"auto"},
                 {"auto"}},
                1, 2);
    const bool product = is_product(comparisons);
    const std::string plain = product ? "plain" : "CSR";
    table.add({"matrix", "rows", product ? "products" : "nnz", "floor", plain, "vendor", "oracle",
               "auto", "× vendor", "× vendor", "× " + plain, "× oracle"},
              Tone::dim);
    for (const Comparison& c : comparisons) {
        const Timed* vendor = c.vendor_best();
        const Ratios r = ratios(c);
        const bool behind = r.oracle_vs_vendor_best && *r.oracle_vs_vendor_best < 1;
        table.add(
            with_ratios({fit(c.matrix, kNameWidth), short_count(static_cast<double>(c.rows)),
                         product ? short_count(static_cast<double>(c.products))
                                 : short_count(static_cast<double>(c.nnz)),
                         c.floor_us ? significant(*c.floor_us) : "-", us(c.csr),
                         vendor ? significant(vendor->time_us) : "-", us(c.oracle), us(c.chosen)},
                        r),
            behind ? Tone::bad : Tone::plain);
    }
    table.add(with_ratios({"geomean", "", "", "", "", "", "", ""}, geomean(comparisons)),
              Tone::good);
    return table.render(style, kWidth);
}

/// Of one or two matrices the table says it all.
std::string regret_line(const std::vector<Comparison>& comparisons) {
    constexpr std::size_t kFew = 3;
    const auto r = regrets(comparisons);
    if (!r || r->count < kFew) return "";
    const auto percent = [](double share) { return fmt::format("{:.1f} %", 100 * share); };
    const std::string text = fmt::format(
        "regret of auto, where half of the moments decide who is the oracle and the others time "
        "it: {} in geometric mean, {} at the 95th percentile of {} matrices; slower than {} by "
        "more than 5 %: {}",
        percent(r->mean), percent(r->p95), r->count, is_product(comparisons) ? "plain" : "CSR",
        percent(r->slower_share));
    return " " + wrap(text, kWidth - 1, 1) + "\n";
}

}  // namespace

std::string compare_report(const db::Device& device, const std::string& cache,
                           const std::vector<Comparison>& comparisons, const Style& style) {
    if (comparisons.empty()) return "";
    const char* const first =
        is_product(comparisons)
            ? "C = A·A, or A·Aᵀ where A is not square, with finding the size of C and allocating "
              "it; floor: A and B read and C written once at the measured bandwidth; plain: "
              "Gustavson with a thread's share of the rows, on a GPU expand, sort, compress"
            : "floor: the bytes of CSR, x and y at the measured bandwidth";
    const std::string legend = fmt::format(
        "{}; vendor: the best of the vendor's kernels; oracle: the fastest of all; auto: what "
        "sptune would have chosen; a × b: time of b / time of a; caches {}",
        first,
        device.host_launch_us && cache == "warm" && !is_product(comparisons)
            ? fmt::format("{}, launches in a program's loop {} each", cache,
                          duration_us(*device.host_launch_us))
            : cache);
    return style(Tone::bold, fit(device_text(device), kWidth)) + "\n" +
           choices(comparisons, style) + style(Tone::bad, gaps(comparisons)) + "\n" +
           style(Tone::dim,
                 " " + wrap(legend, kWidth - 1, 1) + "\n" + without_values(comparisons)) +
           times(comparisons, style) + regret_line(comparisons);
}

}  // namespace sptune::cli
