// The instruction set that is named is the one that dispatched functions run with.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/kernels/test_simd_target.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.
#include "hwy/highway.h"

#include <string>

HWY_BEFORE_NAMESPACE();
namespace sptune {
namespace HWY_NAMESPACE {
std::string dispatched() {
    return hwy::TargetName(HWY_TARGET);
}
}  // namespace HWY_NAMESPACE
}  // namespace sptune
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "kernels/simd_target.hpp"

#include <cstdlib>
#include <map>

#include <gtest/gtest.h>

namespace sptune {
namespace {

HWY_EXPORT(dispatched);

TEST(SimdTarget, IsWhatKernelsRunWith) {
    const std::string named = simd_target();
    EXPECT_EQ(HWY_DYNAMIC_DISPATCH(dispatched)(), named);
}

TEST(SimdTarget, IsNotWiderThanWhatIsAskedFor) {
    const char* asked = std::getenv("SPTUNE_SIMD");
    if (!asked || !*asked) GTEST_SKIP() << "skipped: SPTUNE_SIMD is not set";
    const std::map<std::string, int> width{{"SCALAR", 0}, {"EMU128", 0}, {"SSSE3", 1},  {"SSE4", 1},
                                           {"AVX2", 2},   {"AVX3", 3},   {"AVX3_DL", 4}};
    const std::map<std::string, int> limit{
        {"scalar", 0}, {"sse4", 1}, {"avx2", 2}, {"avx512", 3}, {"native", 4}};
    if (!width.contains(simd_target())) GTEST_SKIP() << "skipped: not an x86 processor";
    EXPECT_LE(width.at(simd_target()), limit.at(asked));
}

}  // namespace
}  // namespace sptune
#endif
