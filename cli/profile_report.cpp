#include "cli/profile_report.hpp"

#include "cli/describe.hpp"
#include "cli/losers.hpp"
#include "cli/ranking.hpp"
#include "cli/table.hpp"
#include "matrix/number.hpp"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sptune::cli {
namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kTop = 12;
constexpr double kDrift = 1.1;  ///< less than this is ordinary noise

/// The unit that all times of one table share.
struct TimeUnit {
    const char* name;
    double us;
};
TimeUnit unit_for(double us) {
    if (us >= 1e6) return {"s", 1e6};
    if (us >= 1e3) return {"ms", 1e3};
    return {"µs", 1};
}

/// One or two samples have no deviation worth the name.
std::string time_text(const db::TimeUs& time, const TimeUnit& unit) {
    const std::string median = significant(time.median / unit.us);
    return time.samples.size() < 3 ? median : median + " ±" + significant(time.mad / unit.us);
}

class Report {
  public:
    Report(const db::Entry& entry, const ReportOptions& options, const Style& style)
        : entry_(entry),
          options_(options),
          style_(style),
          all_(ranking(entry)),
          product_(entry.op == Op::spgemm) {
        for (const Ranked& ranked : all_)
            if (ranked.baseline) baseline_ = ranked.candidate;
        vendor_ = best_vendor(all_);
    }

    std::string text() const {
        std::string out = heading() + "\n";
        if (all_.empty())
            return out + style_(Tone::bad, "Nothing could be measured.") + "\n" + losers();
        return out + table() + legend() + "\n" + verdict() + recommendation() + losers();
    }

  private:
    std::string fact(const std::string& name, const std::string& value) const {
        return style_(Tone::dim, fmt::format("  {:<11}", name)) + wrap(value, kWidth - 13, 13) +
               "\n";
    }

    std::string heading() const {
        const Features& f = entry_.features;
        const db::Device& device = entry_.device;
        const double csr_bytes =
            static_cast<double>(f.nnz) * (entry_.value == ValueType::f64 ? 12 : 8) +
            static_cast<double>(f.rows + 1) * (entry_.index == IndexType::i64 ? 8 : 4);
        std::string out = style_(Tone::bold, fit(entry_.matrix.name, kWidth)) + "\n";
        out += fact("size", fmt::format("{} × {}, {}, {} as CSR in {}", count(f.rows),
                                        count(f.cols), with_noun(count(f.nnz), "nonzero"),
                                        byte_count(csr_bytes), to_string(entry_.value)));
        out += fact("row length",
                    fmt::format("min {}, median {}, mean {}, max {}{}", count(f.row_min),
                                plain(f.row_median), plain(f.row_mean), count(f.row_max),
                                options_.sparkline.empty() ? "" : "   " + options_.sparkline));
        out += fact("structure", fmt::format("{}", fmt::join(describe(f), "; ")));
        if (entry_.product) out += fact("product", product_text(*entry_.product));
        out += fact("device", device_text(device));
        return out;
    }

    /// Every candidate that was measured stores as much: the entries of C.
    std::string product_text(const ProductFeatures& p) const {
        const double entries = all_.empty() ? p.estimated_entries
                                            : static_cast<double>(all_.front().candidate->stored);
        const auto products = static_cast<double>(p.products);
        return fmt::format("C = A·{}, {} from {} ({} each)", p.rows == p.inner ? "A" : "Aᵀ",
                           with_noun(short_count(entries), "nonzero"),
                           with_noun(short_count(products), "product"),
                           significant(entries > 0 ? products / entries : 0));
    }

    std::string baseline_name() const {
        if (!product_) return "plain parallel CSR";
        return entry_.device.backend == "cuda" ? "plain expand-sort-compress" : "plain Gustavson";
    }

    std::vector<std::string> cells(const Ranked& ranked, const TimeUnit& unit) const {
        const db::Candidate& c = *ranked.candidate;
        const double median = c.time->median;
        const auto nnz = static_cast<double>(entry_.features.nnz);
        std::vector<std::string> out{std::to_string(ranked.rank), short_id(entry_, c.id),
                                     time_text(*c.time, unit), significant(c.gflops)};
        if (!product_) {
            out.push_back(significant(c.gbs));
            out.push_back(percent(c.gbs / bandwidth_at(entry_, c.bytes)));
            out.push_back(c.stored && nnz > 0 ? percent(static_cast<double>(c.stored) / nnz - 1)
                                              : "-");
        }
        if (baseline_) {
            const auto even = break_even(c, *baseline_);
            out.push_back(ranked.baseline ? "-"
                                          : significant(c.convert_us / baseline_->time->median));
            out.push_back(ranked.baseline ? "-" : even ? short_count(std::ceil(*even)) : "never");
            out.push_back(factor(baseline_->time->median / median));
        }
        if (vendor_) out.push_back(factor(vendor_->time->median / median));
        return out;
    }

    std::string table() const {
        const TimeUnit unit = unit_for(all_.front().candidate->time->median);
        std::vector<Column> columns{
            {"#"}, {"variant", Align::left}, {std::string("time ") + unit.name}, {"GFLOP/s"}};
        if (!product_) columns.insert(columns.end(), {{"GB/s"}, {"of bw"}, {"padding"}});
        if (baseline_)
            columns.insert(columns.end(),
                           {{"convert"}, {"pays at"}, {product_ ? "× plain" : "× CSR"}});
        if (vendor_) columns.push_back({"× " + vendor_->format});
        Table table(std::move(columns), 1, 2);
        int last = 0;
        bool finals = true;
        for (const Ranked& ranked : options_.all ? all_ : highlights(all_, kTop)) {
            if (finals && !ranked.finalist)
                table.add({"", "had lost before the final:"}, Tone::dim);
            else if (ranked.rank != last + 1)
                table.add({"⋮"}, Tone::dim);
            finals = ranked.finalist;
            last = ranked.rank;
            const bool won = ranked.candidate->id == entry_.winner;
            table.add(cells(ranked, unit), won                        ? Tone::good
                                           : ranked.baseline          ? Tone::accent
                                           : ranked.candidate->vendor ? Tone::accent
                                                                      : Tone::plain);
        }
        return table.render(style_, kWidth);
    }

    std::string legend() const {
        std::string text =
            product_
                ? "time: median ± median deviation, with finding the size of C and allocating it"
                : std::string("time: median ± median deviation; of bw: share of the bandwidth ") +
                      (entry_.cache == "cold"
                           ? "of memory, since caches are flushed before each call"
                           : "measured for a working set of this size");
        if (baseline_)
            text += fmt::format(
                "; convert: in calls of the baseline {}; pays at: calls until conversion is repaid",
                short_id(entry_, entry_.baseline));
        if (entry_.device.host_launch_us && entry_.cache == "warm" && !product_)
            text += fmt::format(
                "; calls wait for their launches, {} each in a program's loop here (--json has "
                "device_us, as in a CUDA graph)",
                duration_us(*entry_.device.host_launch_us));
        if (was_without_values(entry_)) text += fmt::format("; {}", kWithoutValues);
        std::string out = style_(Tone::dim, " " + wrap(text, kWidth - 1, 1)) + "\n";
        if (drift(all_) > kDrift) {
            const std::string note = fmt::format(
                "The final ran {} slower than earlier stages: other work on this machine, or "
                "kernels that evict each other from the caches. Losers of those stages look fast; "
                "if the factor is large, profile again with --fresh on a quieter machine.",
                factor(drift(all_)));
            out += style_(Tone::bad, " " + wrap(note, kWidth - 1, 1)) + "\n";
        }
        return out;
    }

    std::string verdict() const {
        const db::Candidate* winner = db::find(entry_, entry_.winner);
        if (!winner || !winner->time) return "";
        std::string text = "Winner: " + winner->id;
        if (winner == baseline_) {
            text += ", which is " + baseline_name() + ": nothing to convert.";
        } else if (baseline_) {
            text += fmt::format(", {} {}", factor(entry_.speedup_vs_baseline), baseline_name());
            if (vendor_ && vendor_ != winner)
                text +=
                    fmt::format(" and {} {}", factor(vendor_->time->median / winner->time->median),
                                short_id(entry_, vendor_->id));
            const auto even = break_even(*winner, *baseline_);
            if (winner->convert_us == 0)
                text += "; it needs no conversion";
            else if (even)
                text += fmt::format(
                    "; its conversion ({}) is repaid after {}", duration_us(winner->convert_us),
                    with_noun(count(static_cast<std::int64_t>(std::ceil(*even))), "call"));
            text += ".";
        }
        return style_(Tone::good, wrap(text, kWidth, 2)) + "\n";
    }

    std::string recommendation() const {
        if (options_.calls <= 0) return "";
        const auto [best, total_us] = best_for(all_, options_.calls);
        std::string text =
            fmt::format("For {}: {}, {} with conversion",
                        with_noun(count(static_cast<std::int64_t>(options_.calls)), "call"),
                        best->id, duration_us(total_us));
        if (baseline_ && best != baseline_)
            text += "; " + baseline_name() + " takes " +
                    duration_us(options_.calls * baseline_->time->median);
        return style_(Tone::bold, wrap(text + ".", kWidth, 2)) + "\n";
    }

    std::string losers() const {
        const std::string table = losers_table(entry_, style_, kWidth);
        return table.empty() ? "" : "\n" + style_(Tone::bold, "Why the rest lost") + "\n" + table;
    }

    const db::Entry& entry_;
    const ReportOptions& options_;
    const Style& style_;
    std::vector<Ranked> all_;
    const db::Candidate* baseline_ = nullptr;
    const db::Candidate* vendor_ = nullptr;
    bool product_;  ///< C = A·B rather than y = αAx
};

/// The entry may be from somewhere else.
db::Entry cleaned(db::Entry entry) {
    const auto clean = [](auto&... texts) { ((texts = printable(texts)), ...); };
    clean(entry.matrix.name, entry.device.name, entry.device.simd, entry.baseline, entry.winner);
    for (db::Candidate& c : entry.candidates) clean(c.id, c.format, c.algorithm, c.reason);
    return entry;
}

}  // namespace

std::string profile_report(const db::Entry& entry, const ReportOptions& options,
                           const Style& style) {
    return Report(cleaned(entry), options, style).text();
}

}  // namespace sptune::cli
