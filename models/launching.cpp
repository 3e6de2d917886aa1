#include "models/launching.hpp"

#include "models/holding.hpp"

#include <algorithm>
#include <string_view>

namespace sptune::models {
namespace {

/// Kernels that prepare y, or add to it what the others left, in a launch of its own. Not counted:
/// more strips than two, empty rows of COO, long block rows.
struct Launches {
    std::string_view format, algorithm;  ///< "*": all
    int count;
};
constexpr Launches kSeveral[] = {
    {"coo", "*", 2},
    {"csc", "*", 2},
    {"csr", "merge", 2},
    {"hub", "*", 2},
    {"strips", "*", 2},
    {"tiles2d", "*", 2},
    // As of cuSPARSE 12.6. The second algorithm of each takes another one.
    {"cusparse", "csr", 2},
    {"cusparse", "coo", 2},
};

}  // namespace

Launching launching_of(const db::Device& device) {
    const Launching usual;
    return {device.host_launch_us.value_or(usual.host_us),
            device.early_gap_us.value_or(usual.early_gap_us),
            device.launch_gap_us.value_or(usual.gap_us)};
}

double as_called_us(double device_us, int launches, int early, const Launching& l) {
    const double gaps_us = early * l.early_gap_us + (launches - early) * l.gap_us;
    return std::max(launches * l.host_us, device_us + gaps_us);
}

double as_called_us(const db::Device& device, const Variant& v, double device_us) {
    if (v.backend == Backend::cpu || v.op == Op::spgemm) return device_us;
    Launching launching = launching_of(device);
    launching.early_gap_us = 0;
    const int launches = launches_of(v);
    return as_called_us(device_us, launches, early_launches(v.format, v.vendor, launches),
                        launching);
}

double expected_us(double device_us, int launches, bool vendor, const Launching& launching) {
    constexpr double kOfOne = 0.5, kOfSeveral = 1.5;
    const double waits_us = launches * launching.host_us * (launches == 1 ? kOfOne : kOfSeveral);
    return std::max(waits_us, device_us + (vendor ? launches * launching.gap_us : 0));
}

double expected_us(const db::Device& device, const Variant& v, double device_us) {
    if (v.backend == Backend::cpu || v.op == Op::spgemm) return device_us;
    return expected_us(device_us, launches_of(v), v.vendor, launching_of(device));
}

int early_launches(std::string_view format, bool vendor, int launches) {
    if (vendor) return 0;
    const bool first_in_order = format == "hub" || format == "tiles2d";  // kernels/cuda/scale.cuh
    return launches - (first_in_order ? 1 : 0);
}

int launches_of(const Variant& v) {
    const auto* const found =
        std::find_if(std::begin(kSeveral), std::end(kSeveral), [&](const Launches& l) {
            return l.format == v.format && (l.algorithm == "*" || l.algorithm == v.algorithm);
        });
    if (found == std::end(kSeveral)) return 1;
    return v.vendor ? found->count + param_or(v.params, "o", 1) - 1 : found->count;
}

}  // namespace sptune::models
