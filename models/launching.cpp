#include "models/launching.hpp"

#include <algorithm>
#include <string_view>

namespace sptune::models {
namespace {

/// Kernels that prepare y, or add to it what the others left, in a launch of its own.
struct Launches {
    std::string_view format, algorithm;  ///< "*": all
    int count;
};
constexpr Launches kSeveral[] = {
    {"coo", "*", 2}, {"csc", "*", 2},    {"csr", "merge", 2},
    {"hub", "*", 2}, {"strips", "*", 2}, {"tiles2d", "*", 2},
};

}  // namespace

Launching launching_of(const db::Device& device) {
    const Launching usual;
    return {device.host_launch_us.value_or(usual.host_us),
            device.launch_gap_us.value_or(usual.gap_us)};
}

double as_called_us(double device_us, int launches, const Launching& launching) {
    return std::max(launches * launching.host_us, device_us + launches * launching.gap_us);
}

int launches_of(const Variant& v) {
    const auto* const found =
        std::find_if(std::begin(kSeveral), std::end(kSeveral), [&](const Launches& l) {
            return l.format == v.format && (l.algorithm == "*" || l.algorithm == v.algorithm);
        });
    return found == std::end(kSeveral) ? 1 : found->count;
}

}  // namespace sptune::models
