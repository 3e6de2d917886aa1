// Which instruction set the CPU kernels run with.
#pragma once

#include <string>

/// Which of Highway's targets fetches x by gather instructions. It asks for more than the kernels
/// need (Ice Lake's additions to AVX-512), so that it can stand for the processors that gather fast
/// while AVX3 serves the others: scalar loads beat the instruction by 1.2-1.5x on AMD's cores (Zen
/// 3), and on Intel's before Sapphire Rapids, whose microcode slows it down (Downfall,
/// INTEL-SA-00828); from Sapphire Rapids on the instruction is up to 1.4x as fast while x is in a
/// cache (bench/results/2026-11-23-gathers.md).
#define SPTUNE_GATHER_TARGET HWY_AVX3_DL

namespace sptune {

/// What simd_target() says where x is fetched by gather instructions.
inline constexpr const char* kGatheringSimd = "AVX3_DL";

/// "AVX2", "SSE4", "SCALAR" …: the best that this machine has and this build knows, unless
/// $SPTUNE_SIMD (scalar, sse4, avx2, avx512, native) asks for less. Settled on the first call,
/// which the registry makes before any kernel is chosen, and models before they predict. Throws
/// UsageError for an unknown name.
const std::string& simd_target();

}  // namespace sptune
