#include "cli/ranking.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

namespace sptune::cli {

std::vector<Ranked> ranking(const db::Entry& entry) {
    std::vector<Ranked> out;
    const db::Candidate* winner = db::find(entry, entry.winner);
    for (const db::Candidate& candidate : entry.candidates)
        if (candidate.status == db::Status::ok && candidate.time)
            out.push_back({0, &candidate, candidate.id == entry.baseline,
                           winner && candidate.reason == winner->reason});
    const auto key = [&](const Ranked& r) {
        const db::Candidate& c = *r.candidate;
        return std::make_tuple(c.id != entry.winner, !r.finalist, c.time->median,
                               std::string_view(c.id));
    };
    std::sort(out.begin(), out.end(), [&](auto& a, auto& b) { return key(a) < key(b); });
    for (std::size_t i = 0; i < out.size(); ++i) out[i].rank = static_cast<int>(i) + 1;
    return out;
}

std::vector<Ranked> highlights(const std::vector<Ranked>& all, std::size_t top) {
    std::vector<Ranked> out;
    std::set<std::string_view> formats;
    const db::Candidate* vendor = best_vendor(all);
    for (const Ranked& ranked : all) {
        const bool first_of_format = formats.insert(ranked.candidate->format).second;
        if (out.size() < top || first_of_format || ranked.baseline || ranked.candidate == vendor)
            out.push_back(ranked);
    }
    return out;
}

const db::Candidate* best_vendor(const std::vector<Ranked>& all) {
    const auto found =
        std::find_if(all.begin(), all.end(), [](auto& r) { return r.candidate->vendor; });
    return found == all.end() ? nullptr : found->candidate;
}

std::optional<double> break_even(const db::Candidate& candidate, const db::Candidate& baseline) {
    if (&candidate == &baseline) return 0;
    const double gain = baseline.time->median - candidate.time->median;
    if (gain <= 0) return std::nullopt;
    return candidate.convert_us / gain;
}

Recommendation best_for(const std::vector<Ranked>& all, double calls) {
    const double slowdown = drift(all);
    Recommendation best;
    for (const Ranked& ranked : all) {
        const db::Candidate& c = *ranked.candidate;
        const double call_us = c.time->median * (ranked.finalist ? 1 : slowdown);
        const double total_us = (ranked.baseline ? 0 : c.convert_us) + calls * call_us;
        if (!best.candidate || total_us < best.total_us) best = {&c, total_us};
    }
    return best;
}

double drift(const std::vector<Ranked>& all) {
    double most = 1;
    for (const Ranked& ranked : all)
        if (!ranked.finalist)
            most = std::max(most,
                            all.front().candidate->time->median / ranked.candidate->time->median);
    return most;
}

std::string short_id(const db::Entry& entry, std::string_view id) {
    const std::string head = fmt::format("{}.{}.", to_string(entry.op), entry.device.backend);
    const std::string tail = fmt::format(".{}.{}", to_string(entry.value), to_string(entry.index));
    if (id.starts_with(head)) id.remove_prefix(head.size());
    if (id.ends_with(tail)) id.remove_suffix(tail.size());
    return std::string(id);
}

double bandwidth_at(const db::Device& device, std::uint64_t bytes) {
    for (const db::BandwidthPoint& point : device.bandwidth_curve)
        if (bytes <= point.bytes) return point.gbs;
    return device.bandwidth_gbs;
}

double bandwidth_at(const db::Entry& entry, std::uint64_t bytes) {
    return entry.cache == "cold" ? entry.device.bandwidth_gbs : bandwidth_at(entry.device, bytes);
}

}  // namespace sptune::cli
