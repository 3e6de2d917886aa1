// How the numbers of blocks are added up.
#pragma once

#include <cstdint>

namespace sptune::cuda {

/// Plain arithmetic in the numbers' own precision.
template <class V>
struct Arithmetic {
    using Sum = V;
    static __device__ Sum add(Sum sum, V a, V b) { return sum + a * b; }
    static __device__ V narrow(Sum sum) { return sum; }
    /// From what tensor cores added up.
    static __device__ V of_tensor(V sum) { return sum; }
};

/// min(Σ a·b, 2^32 - 1). A product that reaches the limit alone may be cut off at it beforehand
/// without changing that, and then 2^32 of them fit 64 bits.
template <>
struct Arithmetic<std::uint32_t> {
    using Sum = std::uint64_t;
    static constexpr std::uint64_t kMost = 0xffffffffu;

    static __device__ std::uint64_t least(std::uint64_t x) { return x < kMost ? x : kMost; }
    static __device__ Sum add(Sum sum, std::uint32_t a, std::uint32_t b) {
        return sum + least(static_cast<std::uint64_t>(a) * b);
    }
    static __device__ std::uint32_t narrow(Sum sum) {
        return static_cast<std::uint32_t>(least(sum));
    }
    /// Exact although doubles have 53 bits: as long as the sum of these (none is negative) is below
    /// 2^53 nothing is rounded, and from 2^32 on the result is the limit whatever is rounded.
    static __device__ std::uint32_t of_tensor(double sum) {
        return sum < static_cast<double>(kMost) ? static_cast<std::uint32_t>(sum)
                                                : static_cast<std::uint32_t>(kMost);
    }
};

}  // namespace sptune::cuda
