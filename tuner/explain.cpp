#include "tuner/explain.hpp"

#include "matrix/number.hpp"
#include "tuner/decide.hpp"

#include <fmt/format.h>

namespace sptune::tuner {
namespace {

constexpr double kAlike = 1.05;  ///< ratios below this are not worth a word

double ratio(double a, double b) {
    return b > 0 ? a / b : 1;
}

/// Share of the stored entries beyond the nonzeros, relative to the nonzeros.
double padding(const db::Entry& entry, const db::Candidate& c) {
    const auto nnz = static_cast<double>(entry.matrix.nnz);
    return nnz > 0 && c.stored > 0 ? static_cast<double>(c.stored) / nnz - 1 : 0;
}

/// Whether a program that calls it waits for its launches.
bool waits(const db::Entry& entry, const db::Candidate& c) {
    constexpr double kNearly = 0.98;  // the clocks of different stages
    return c.launches && entry.device.host_launch_us &&
           *c.launches * *entry.device.host_launch_us > kNearly * c.time->median;
}

/// How `c` spends its time compared with `other`: bytes moved and time per byte, whose product is
/// the ratio of the times.
std::string spends(const db::Entry& entry, const db::Candidate& c, const db::Candidate& other) {
    const double time = ratio(c.time->median, other.time->median);
    const double bytes = ratio(static_cast<double>(c.bytes), static_cast<double>(other.bytes));
    const double per_byte = ratio(time, bytes);
    std::string text;
    if (bytes >= kAlike || bytes <= 1 / kAlike) {
        text = fmt::format("moves {:.2f}x the bytes", bytes);
        if (padding(entry, c) >= 0.05)
            text += fmt::format(" ({:.0f} % padding)", 100 * padding(entry, c));
    }
    if (time > 1 && waits(entry, c) && *c.launches > other.launches.value_or(1)) {
        if (!text.empty()) text += " and ";
        text += fmt::format("waits for its {} launches", *c.launches);
    } else if (per_byte >= kAlike || per_byte <= 1 / kAlike) {
        if (!text.empty()) text += (bytes > 1) == (per_byte > 1) ? " and " : " but ";
        text += fmt::format("takes {:.2f}x the time per byte", per_byte);
    }
    return text.empty() ? "moves as much, as fast" : text;
}

}  // namespace

std::string why(const db::Entry& entry, const db::Candidate& c) {
    switch (c.status) {
        case db::Status::ok:
            break;
        case db::Status::incorrect:
            return "wrong result: " + c.reason;
        case db::Status::out_of_memory:
            return "out of memory: " + c.reason;
        case db::Status::not_reached:
            return "not reached: " + c.reason;
        default:
            return std::string(db::to_string(c.status)) + ": " + c.reason;
    }
    if (c.id == entry.winner) return "fastest";
    const db::Candidate* winner = db::find(entry, entry.winner);
    if (!winner || !winner->time || !c.time) return c.reason;
    const double slower = ratio(c.time->median, winner->time->median);
    if (c.reason != winner->reason) {
        // Times of different stages differ by the drift of the machine as well.
        if (slower < kAlike) return "was behind in the " + c.reason;
    } else if (slower <= 1.02) {
        if (c.convert_us > winner->convert_us) return "as fast, but dearer to convert";
        if (c.device_us && winner->device_us && *c.device_us > kTie * *winner->device_us)
            return "as fast, but takes longer in a CUDA graph";
        return c.bytes > winner->bytes ? "as fast, but larger" : "as fast; the tie went by name";
    }
    // All products move the same A, B and C.
    if (entry.op == Op::spgemm) return fmt::format("{:.2f}x slower", slower);
    return fmt::format("{:.2f}x slower: {}", slower, spends(entry, c, *winner));
}

std::string why_winner(const db::Entry& entry) {
    const db::Candidate* winner = db::find(entry, entry.winner);
    if (!winner || !winner->time) return "Nothing was measured, so there is no winner.";
    std::string text = fmt::format("{} takes {}", winner->id, duration_us(winner->time->median));
    const db::Candidate* baseline = db::find(entry, entry.baseline);
    if (winner->id == entry.baseline) {
        text += "; nothing that needs a conversion beats the baseline beyond noise";
    } else if (baseline && baseline->time) {
        text += fmt::format(", {:.2f}x as fast as the baseline", entry.speedup_vs_baseline);
        if (entry.op == Op::spmv) text += ": it " + spends(entry, *winner, *baseline);
    }
    const db::Candidate* vendor = nullptr;
    for (const db::Candidate& c : entry.candidates)
        if (c.vendor && c.status == db::Status::ok && c.time &&
            (!vendor || c.time->median < vendor->time->median))
            vendor = &c;
    if (vendor && vendor != winner)
        text += fmt::format("; {:.2f}x as fast as the vendor's best, {}",
                            ratio(vendor->time->median, winner->time->median), vendor->id);
    if (winner->device_us && waits(entry, *winner))
        text += fmt::format("; it waits for {}, and takes {} in a CUDA graph",
                            *winner->launches == 1 ? "its launch" : "its launches",
                            duration_us(*winner->device_us));
    else if (entry.op == Op::spmv && entry.device.bandwidth_gbs > 0 && winner->gbs > 0)
        text += fmt::format("; {:.1f} GB/s are {:.0f} % of what main memory delivers", winner->gbs,
                            100 * winner->gbs / entry.device.bandwidth_gbs);
    if (entry.break_even_calls > 0)
        text += fmt::format("; its conversion is paid back after {}",
                            with_noun(fmt::format("{:.0f}", entry.break_even_calls), "call"));
    else if (winner->convert_us <= 0)
        text += "; it needs no conversion";
    return text + ".";
}

}  // namespace sptune::tuner
