// Bisection over indices, on the host and in kernels.
#pragma once

namespace sptune {

/// The first index of [low, high) that is not as `holds` says, where all are that come before it
/// and none that come after; else `high`. cuda::std::partition_point() is no public function of
/// CUDA 13.0, and takes iterators, whose differences always have 64 bits.
template <class Index, class Predicate>
constexpr Index partition_point(Index low, Index high, Predicate holds) {
    while (low < high) {
        const Index middle = low + (high - low) / 2;
        if (holds(middle))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

}  // namespace sptune
