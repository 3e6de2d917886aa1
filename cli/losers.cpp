#include "cli/losers.hpp"

#include "cli/ranking.hpp"
#include "cli/table.hpp"
#include "tuner/explain.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sptune::cli {
namespace {

std::string outcome(db::Status status) {
    switch (status) {
        case db::Status::ok:
            return "slower";
        case db::Status::out_of_memory:
            return "out of memory";
        case db::Status::not_reached:
            return "not reached";
        default:
            return std::string(db::to_string(status));
    }
}

/// The candidates of one format that lost.
struct Group {
    std::string format;
    std::map<db::Status, int> outcomes;
    const db::Candidate* best = nullptr;  ///< the fastest, or the first where none was measured
};

bool faster(const db::Candidate& a, const db::Candidate* b) {
    if (!b) return true;
    if (!a.time || !b->time) return a.time && !b->time;
    return a.time->median < b->time->median;
}

std::vector<Group> grouped(const db::Entry& entry) {
    std::vector<Group> groups;
    for (const db::Candidate& candidate : entry.candidates) {
        if (candidate.id == entry.winner) continue;
        auto group = std::find_if(groups.begin(), groups.end(),
                                  [&](auto& g) { return g.format == candidate.format; });
        if (group == groups.end()) group = groups.insert(group, {candidate.format, {}, nullptr});
        ++group->outcomes[candidate.status];
        if (faster(candidate, group->best)) group->best = &candidate;
    }
    std::stable_sort(groups.begin(), groups.end(),
                     [](auto& a, auto& b) { return faster(*a.best, b.best); });
    return groups;
}

}  // namespace

std::string losers_table(const db::Entry& entry, const Style& style, std::size_t width) {
    const std::vector<Group> groups = grouped(entry);
    std::vector<std::string> outcomes;
    std::size_t format_width = 0, outcome_width = 0;
    for (const Group& group : groups) {
        std::vector<std::string> words;
        for (const auto& [status, n] : group.outcomes)
            words.push_back(fmt::format("{} {}", n, outcome(status)));
        outcomes.push_back(fmt::format("{}", fmt::join(words, ", ")));
        format_width = std::max(format_width, display_width(group.format));
        outcome_width = std::max(outcome_width, display_width(outcomes.back()));
    }
    const std::size_t indent = 2 + format_width + 2 + outcome_width + 2;
    Table table({{"", Align::left}, {"", Align::left}, {"", Align::left}});
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const db::Candidate& best = *groups[i].best;
        const std::string reason = best.status == db::Status::ok
                                       ? short_id(entry, best.id) + " " + tuner::why(entry, best)
                                       : best.reason;
        table.add(
            {groups[i].format, outcomes[i], fit(reason, width > indent ? width - indent : 1)});
    }
    return table.render(style, width);
}

}  // namespace sptune::cli
