#include "cli/profile_html.hpp"

#include "cli/describe.hpp"
#include "cli/ranking.hpp"
#include "db/provenance.hpp"
#include "matrix/number.hpp"
#include "tuner/explain.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sptune::cli {
namespace {

constexpr std::size_t kBars = 20;

constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --ink: #1c2430; --quiet: #6b7685; --line: #d9dee5; --bar: #9db4cf;
  --won: #2e9e5b; --base: #d08b2c; --paper: #fff }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ee; --quiet: #97a1af; --line: #323a46;
  --bar: #4d6787; --paper: #14181e } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 62rem; margin: 2rem auto; padding: 0 1rem }
p.facts, th { color: var(--quiet) }
.scroll { overflow-x: auto }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; white-space: nowrap }
th, td { text-align: right; padding: .2rem .7rem; border-bottom: 1px solid var(--line) }
th:nth-child(2), td:nth-child(2), td:last-child, th:last-child { text-align: left }
tr.won { font-weight: 600; color: var(--won) } tr.base { color: var(--base) }
svg { width: 100%; height: auto } svg text { fill: var(--ink); font: 13px system-ui, sans-serif }
rect { fill: var(--bar) } rect.won { fill: var(--won) } rect.base { fill: var(--base) }
)";

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '&')
            out += "&amp;";
        else if (c == '<')
            out += "&lt;";
        else if (c == '>')
            out += "&gt;";
        else if (c == '"')
            out += "&quot;";
        else
            out += c;
    }
    return out;
}

const char* kind(const db::Entry& entry, const db::Candidate& c) {
    return c.id == entry.winner ? "won" : c.id == entry.baseline || c.vendor ? "base" : "plain";
}

/// Horizontal bars, as long as the kernel is fast.
std::string chart(const db::Entry& entry, const std::vector<Ranked>& shown) {
    constexpr int kRow = 22, kLabel = 230, kLongest = 560;
    double fastest = shown.front().candidate->time->median;
    for (const Ranked& r : shown) fastest = std::min(fastest, r.candidate->time->median);
    std::string out = fmt::format(
        "<svg viewBox=\"0 0 900 {}\" role=\"img\" aria-label=\"Speed of "
        "the best kernels\">\n",
        kRow * shown.size());
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const db::Candidate& c = *shown[i].candidate;
        const auto y = static_cast<int>(i) * kRow;
        const double length = kLongest * fastest / c.time->median;
        out += fmt::format(
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text><rect class=\"{}\" x=\"{}\" "
            "y=\"{}\" width=\"{:.1f}\" height=\"{}\" rx=\"2\"/><text x=\"{:.1f}\" y=\"{}\">{}"
            "</text>\n",
            kLabel - 8, y + 15, escaped(short_id(entry, c.id)), kind(entry, c), kLabel, y + 3,
            length, kRow - 6, kLabel + length + 8, y + 15, duration_us(c.time->median));
    }
    return out + "</svg>\n";
}

std::string measured_table(const db::Entry& entry, const std::vector<Ranked>& all) {
    std::string out =
        "<div class=\"scroll\"><table><tr><th>#<th>kernel<th>time<th>±<th>GFLOP/s<th>GB/s<th>of "
        "bandwidth<th>conversion<th>why</tr>\n";
    for (const Ranked& r : all) {
        const db::Candidate& c = *r.candidate;
        out += fmt::format(
            "<tr class=\"{}\"><td>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{}"
            "</tr>\n",
            kind(entry, c), r.rank, escaped(short_id(entry, c.id)), duration_us(c.time->median),
            duration_us(c.time->mad), significant(c.gflops), significant(c.gbs),
            percent(c.gbs / bandwidth_at(entry, c.bytes)),
            r.baseline ? "-" : duration_us(c.convert_us), escaped(tuner::why(entry, c)));
    }
    return out + "</table></div>\n";
}

std::string skipped_table(const db::Entry& entry) {
    std::string rows;
    for (const db::Candidate& c : entry.candidates)
        if (c.status != db::Status::ok)
            rows += fmt::format("<tr><td><td>{}<td>{}</tr>\n", escaped(short_id(entry, c.id)),
                                escaped(tuner::why(entry, c)));
    return rows.empty()
               ? ""
               : "<details><summary>Not measured</summary><div class=\"scroll\"><table>\n" + rows +
                     "</table></div></details>\n";
}

std::string section(const db::Entry& entry) {
    const std::vector<Ranked> all = ranking(entry);
    const Features& f = entry.features;
    std::string out = fmt::format(
        "<h2>{}</h2>\n<p class=\"facts\">{} × {}, {}, {}: {}<br>{}</p>"
        "\n<p><strong>{}</strong></p>\n",
        escaped(entry.matrix.name), count(f.rows), count(f.cols),
        with_noun(count(f.nnz), "nonzero"), to_string(entry.value),
        escaped(fmt::format("{}", fmt::join(describe(f), "; "))),
        escaped(device_text(entry.device)), escaped(tuner::why_winner(entry)));
    if (was_without_values(entry))
        out += fmt::format("<p class=\"facts\">Of these {}.</p>\n", kWithoutValues);
    if (!all.empty()) out += chart(entry, highlights(all, kBars)) + measured_table(entry, all);
    return out + skipped_table(entry);
}

}  // namespace

std::string profile_html(const std::vector<db::Entry>& entries) {
    std::string out = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
        "content=\"width=device-width\"><title>sptune profile</title><style>{}</style></head>\n"
        "<body><h1>sptune profile</h1>\n",
        kStyle);
    for (const db::Entry& entry : entries) out += section(entry);
    return out + fmt::format("<p class=\"facts\">sptune {}</p></body></html>\n", db::version());
}

}  // namespace sptune::cli
