// Which instruction set the CPU kernels run with.
#pragma once

#include <string>

namespace sptune {

/// "AVX2", "SSE4", "SCALAR" …: the best that this machine has and this build knows, unless
/// $SPTUNE_SIMD (scalar, sse4, avx2, native) asks for less. Settled on the first call, which the
/// registry makes before any kernel is chosen. Throws UsageError for an unknown name.
const std::string& simd_target();

}  // namespace sptune
