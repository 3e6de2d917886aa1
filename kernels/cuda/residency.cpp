#include "kernels/cuda/residency.hpp"

#include "matrix/cuda/per_device.hpp"

#include <algorithm>
#include <limits>

namespace sptune::cuda {
namespace {

/// Of the L2 cache. On an H100 (50 MB) up to 36 MB come from the cache whole, call by call; of more
/// no more than 28 to 32 should be kept, and less beside vectors, which are written as well
/// (bench/results/2026-11-26-written-or-read.md).
constexpr double kWhole = 0.68, kKept = 0.55, kOfVectors = 1.5;

double l2_bytes() {
    static PerDevice<double> known;
    return known.get([] {
        int bytes = 0;
        SPTUNE_CUDA(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, current_device()));
        return static_cast<double>(bytes);
    });
}

}  // namespace

unsigned kept_share(const Storage& a, std::uint64_t vector_bytes) {
    constexpr double kSmall = 1 << 20;  // for any cache
    constexpr unsigned kAll = std::numeric_limits<unsigned>::max();
    const auto matrix = static_cast<double>(a.bytes()), vectors = static_cast<double>(vector_bytes);
    if (matrix + vectors <= kSmall) return kAll;
    const double l2 = l2_bytes();
    if (matrix + vectors <= kWhole * l2) return kAll;
    const double share = (kKept * l2 - kOfVectors * vectors) / matrix;
    return static_cast<unsigned>(std::clamp(share, 0.0, 1.0) * kAll);
}

}  // namespace sptune::cuda
