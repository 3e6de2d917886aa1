#include "models/repeats.hpp"

#include "models/tally.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace sptune::models {
namespace {

/// Equal for sweeps of the same matrix on the same device.
std::string subject_of(const Sample& s) {
    return fmt::format("{} {} {} {} {} {}", s.name, s.device.key, to_string(s.value),
                       s.features.rows, s.features.cols, s.features.nnz);
}

/// As measured for `s`, if that was the same code as `other` had.
const Timed* find(const Sample& s, const Sample& other, const Variant& variant) {
    const auto hash = [&](const Sample& of) {
        const auto at = of.kernel_hashes.find(hash_name(variant));
        return at == of.kernel_hashes.end() ? std::string() : at->second;
    };
    if (hash(s) != hash(other)) return nullptr;
    const std::string name = short_name(variant);
    const auto found = std::find_if(s.timed.begin(), s.timed.end(),
                                    [&](const Timed& t) { return short_name(t.variant) == name; });
    return found == s.timed.end() ? nullptr : &*found;
}

}  // namespace

Repeats::Repeats(const std::vector<const Sample*>& samples) {
    for (const Sample* s : samples) sweeps_[subject_of(*s)].push_back(s);
    std::erase_if(sweeps_, [](const auto& entry) { return entry.second.size() < 2; });
}

const Timed* Repeats::cheapest_elsewhere(const Sample& s, double calls) const {
    const auto found = sweeps_.find(subject_of(s));
    if (found == sweeps_.end()) return nullptr;
    const auto measured = [](const Timed& t) { return !t.bounded; };
    const Timed* best = cheapest(s, calls, measured);
    for (const Sample* other : found->second) {
        if (other == &s || !best || !find(*other, s, best->variant)) continue;
        const Timed* theirs = cheapest(*other, calls, [&](const Timed& t) {
            const Timed* here = measured(t) ? find(s, *other, t.variant) : nullptr;
            return here && measured(*here);
        });
        if (theirs) return find(s, *other, theirs->variant);
    }
    return nullptr;
}

}  // namespace sptune::models
