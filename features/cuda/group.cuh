// A group of neighbouring rows, as the threads of a block see it, and what those that visit it
// share.
#pragma once

#include "features/blocks.hpp"
#include "features/cuda/groups.hpp"
#include "features/cuda/slots.cuh"
#include "matrix/cuda/device.cuh"
#include "matrix/partition_point.hpp"

namespace sptune::cuda::groups {

/// Threads of a block: many where groups have many entries, or where there are few groups.
constexpr int kThreads = 256, kManyThreads = 1024;
__device__ inline int threads() {
    return static_cast<int>(blockDim.x);
}
/// Blocks of threads that share the diagonals and mirror images of a group: a single one would be
/// late with rows of many thousand entries.
constexpr int kParts = 4;
constexpr int kRows = static_cast<int>(kBlockGroup);

/// Numbers the entries of up to kRows rows from 0, in order: of row r those from[r] on.
struct Numbering {
    std::int64_t from[kRows + 1];

    /// The row of entry `n`: the last one that begins there or before.
    __device__ int row(std::int64_t n, int rows) const {
        return partition_point(1, rows, [&](int r) { return from[r] <= n; }) - 1;
    }
    /// From the number that each lane of the first warp has of its row; 0 beyond the rows.
    __device__ void assign(std::int64_t count) {
        const int lane = threadIdx.x % kWarp;
        std::int64_t sum = count;
        for (int offset = 1; offset < kWarp; offset *= 2) {
            const std::int64_t left = __shfl_up_sync(kFullMask, sum, offset);
            if (lane >= offset) sum += left;
        }
        if (lane <= kRows) from[lane] = sum - count;
    }
};

/// Place of the first column not below `column` in the sorted ones of [begin, end).
template <class P>
__device__ P first_not_below(const index_t* col_idx, P begin, P end, std::int64_t column) {
    return partition_point(begin, end, [&](P k) { return col_idx[k] < column; });
}

/// The rows of a group, as all threads of the block know them.
struct Group {
    const Numbering& stored;  ///< its row pointers
    std::int64_t first;
    int rows;

    __device__ std::int64_t begin() const { return stored.from[0]; }
    __device__ std::int64_t end() const { return stored.from[rows]; }
    __device__ std::int64_t entries() const { return end() - begin(); }
};

/// The table with at least twice as many places as the (one or more) keys that come.
__device__ inline SlotTable table_for(std::int64_t keys, Slot* slots) {
    return {slots, 64 - __clzll(2 * keys - 1)};
}

__device__ inline void clear(const SlotTable& table) {
    for (unsigned s = threadIdx.x; s < table.size(); s += threads()) table.slots[s] = Slot{};
    __syncthreads();
}

}  // namespace sptune::cuda::groups
