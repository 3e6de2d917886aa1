#include "kernels/simd_target.hpp"

#include "hwy/highway.h"
#include "matrix/error.hpp"
#include "matrix/lasting.hpp"

#include <cstdint>
#include <cstdlib>
#if HWY_ARCH_X86
#include <cpuid.h>
#endif

namespace sptune {

namespace {

struct Limit {
    const char* name;
    std::int64_t disabled;  ///< targets that are too much
};
// On other processors the vector targets have other names; there only scalar and native differ.
constexpr std::int64_t kWide = SPTUNE_GATHER_TARGET | HWY_AVX3;
constexpr Limit kLimits[] = {
    {"native", 0},
    {"avx512", SPTUNE_GATHER_TARGET},
    {"avx2", kWide},
    {"sse4", kWide | HWY_AVX2},
    {"scalar", ~std::int64_t{HWY_STATIC_TARGET}},
};

/// Intel, Sapphire Rapids or later, which is where AVX512-FP16 came.
bool gathers_fast() {
#if HWY_ARCH_X86
    unsigned a = 0, b = 0, c = 0, d = 0;
    const bool intel = __get_cpuid(0, &a, &b, &c, &d) && b == signature_INTEL_ebx &&
                       c == signature_INTEL_ecx && d == signature_INTEL_edx;
    constexpr unsigned kFp16 = 1u << 23;
    return intel && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & kFp16);
#else
    return false;
#endif
}

std::string settle() {
    std::int64_t disabled = gathers_fast() ? 0 : SPTUNE_GATHER_TARGET;
    if (const char* name = std::getenv("SPTUNE_SIMD"); name && *name) {
        bool known = false;
        for (const Limit& limit : kLimits)
            if (std::string(name) == limit.name) {
                disabled |= limit.disabled;
                known = true;
            }
        if (!known)
            throw UsageError(std::string("SPTUNE_SIMD=") + name +
                             " is unknown; use scalar, sse4, avx2, avx512 or native");
    }
    hwy::DisableTargets(disabled);
    // Asking what is supported makes Highway choose among all that the machine has (1.0.3), so that
    // it has to be told again of what is left.
    const std::int64_t supported = hwy::SupportedTargets();
    hwy::GetChosenTarget().Update(supported);
    // Targets are bits, the best lowest.
    const std::int64_t best = supported & HWY_TARGETS;
    return hwy::TargetName(best ? best & -best : HWY_STATIC_TARGET);
}

}  // namespace

const std::string& simd_target() {
    static const std::string& name = lasting(settle);
    return name;
}

}  // namespace sptune
