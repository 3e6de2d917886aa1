#include "db/knowledge.hpp"

#include <algorithm>

namespace sptune::db {
namespace {

bool reached(const Candidate& candidate) {
    return candidate.status != Status::not_reached;
}

}  // namespace

std::size_t kernels_reached(const Entry& entry) {
    return static_cast<std::size_t>(std::ranges::count_if(entry.candidates, reached));
}

bool knows_more(const Entry& a, const Entry& b) {
    return std::ranges::any_of(a.candidates, [&](const Candidate& candidate) {
        const Candidate* other = find(b, candidate.id);
        return reached(candidate) && !(other && reached(*other));
    });
}

bool were_cores_busy(const Entry& entry) {
    return entry.provenance.cores_busy.value_or(false);
}

bool had_one_value(const Entry& entry) {
    return entry.provenance.one_value.value_or(false);
}

}  // namespace sptune::db
