#include "kernels/simd_target.hpp"

#include "hwy/highway.h"
#include "matrix/error.hpp"

#include <cstdint>
#include <cstdlib>

namespace sptune {

namespace {

struct Limit {
    const char* name;
    std::int64_t disabled;  ///< targets that are too much
};
// On other processors the vector targets have other names; there only scalar and native differ.
constexpr std::int64_t kWide = HWY_AVX3_DL | HWY_AVX3;
constexpr Limit kLimits[] = {
    {"native", 0},
    {"avx2", kWide},
    {"sse4", kWide | HWY_AVX2},
    {"scalar", ~std::int64_t{HWY_STATIC_TARGET}},
};

std::string settle() {
    if (const char* name = std::getenv("SPTUNE_SIMD")) {
        bool known = false;
        for (const Limit& limit : kLimits)
            if (std::string(name) == limit.name) {
                hwy::DisableTargets(limit.disabled);
                known = true;
            }
        if (!known)
            throw UsageError(std::string("SPTUNE_SIMD=") + name +
                             " is unknown; use scalar, sse4, avx2 or native");
    }
    // Targets are bits, the best lowest.
    const std::int64_t best = hwy::SupportedTargets() & HWY_TARGETS;
    return hwy::TargetName(best ? best & -best : HWY_STATIC_TARGET);
}

}  // namespace

const std::string& simd_target() {
    static const std::string name = settle();
    return name;
}

}  // namespace sptune
