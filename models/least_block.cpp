#include "models/least_block.hpp"

#include "models/holding.hpp"

namespace sptune::models {

bool has_blocks(const Variant& v) {
    return v.format == "bsr" && !v.vendor && param_or(v.params, "r", kAll) != kAll &&
           param_or(v.params, "c", kAll) != kAll;
}

Variant with_least_block(Variant v) {
    for (Param& p : v.params)
        if (p.name == "r" || p.name == "c") p.value = kAll;
    return v;
}

double BlockBytes::of(const Variant& v) {
    const int r = param_or(v.params, "r", 1), c = param_or(v.params, "c", 1);
    if (r < 1 || c < 1 || r > kMost || c > kMost) return holding(features_, v).bytes;
    double& bytes = known_[static_cast<std::size_t>((r - 1) * kMost + c - 1)];
    if (bytes == 0) bytes = holding(features_, v).bytes;
    return bytes;
}

}  // namespace sptune::models
