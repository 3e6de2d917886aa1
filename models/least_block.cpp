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

std::uint64_t block_size_number(const Variant& v) {
    constexpr int kMost = 16;
    if (!has_blocks(v)) return 0;
    const int r = param_or(v.params, "r", 0), c = param_or(v.params, "c", 0);
    if (r < 1 || c < 1 || r > kMost || c > kMost) return 0;
    return static_cast<std::uint64_t>((r - 1) * kMost + c);
}

double BlockBytes::of(const Variant& v, std::uint64_t size_number) {
    if (size_number == 0 || size_number > known_.size()) return holding(features_, v).bytes;
    double& bytes = known_[size_number - 1];
    if (bytes == 0) bytes = holding(features_, v).bytes;
    return bytes;
}

}  // namespace sptune::models
