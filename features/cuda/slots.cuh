// Hash tables from keys to masks or counts that many threads fill at once, in shared or global
// memory.
#pragma once

#include "features/cuda/sums.hpp"
#include "matrix/cuda/device.cuh"

namespace sptune::cuda {

/// Up to half of the 2^log2 places are meant to be taken.
struct SlotTable {
    Slot* slots;
    int log2;

    __device__ unsigned size() const { return 1u << log2; }

    /// The value of `key` (below 2^32 - 1), which is 0 at first. nullptr: too many keys.
    __device__ unsigned* find_or_add(unsigned key) const {
        constexpr int kMostTried = 4096;
        unsigned at = place(key);
        for (int tried = 0; tried < kMostTried; ++tried, at = (at + 1) & (size() - 1)) {
            unsigned here = *static_cast<volatile unsigned*>(&slots[at].key);
            if (here == 0) here = atomicCAS(&slots[at].key, 0u, key + 1);
            if (here == 0 || here == key + 1) return &slots[at].value;
        }
        return nullptr;
    }
    /// The value of `key`, 0 where it was never added. Not while keys are added.
    __device__ unsigned find(unsigned key) const {
        for (unsigned at = place(key);; at = (at + 1) & (size() - 1)) {
            const Slot here = slots[at];
            if (here.key == key + 1) return here.value;
            if (here.key == 0) return 0;
        }
    }

  private:
    __device__ unsigned place(unsigned key) const { return (key * 0x9e3779b1u) >> (32 - log2); }
};

}  // namespace sptune::cuda
