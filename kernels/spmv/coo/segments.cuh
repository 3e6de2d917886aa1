// Segmented reduction: sums of consecutive entries with equal row, by a warp.
#pragma once

#include "kernels/spmv/lane_sums.cuh"

#include <cstddef>

namespace sptune::cuda {

/// Staging memory of a warp. Entries are read from memory side by side but each lane sums `Items`
/// consecutive ones; one place in Items + 1 stays free, so that lanes meet in no bank.
template <int Items, class T>
struct Strip {
    static constexpr int entries = kWarp * Items;
    static constexpr std::size_t bytes = (entries + kWarp) * sizeof(T);
    char* memory;

    template <class N>
    __device__ void transpose(N (&n)[Items], int lane) const {
        static_assert(sizeof(N) <= sizeof(T));
        N* at = reinterpret_cast<N*>(memory);
#pragma unroll
        for (int i = 0; i < Items; ++i) {
            const int k = i * kWarp + lane;
            at[k + k / Items] = n[i];
        }
        __syncwarp();
#pragma unroll
        for (int i = 0; i < Items; ++i) n[i] = at[lane * (Items + 1) + i];
        __syncwarp();
    }
};

/// No entry has this row.
inline constexpr index_t kNoRow = -1;

/// What a warp knows once it has stored the rows that end in its lanes, but for the first of each.
template <class T>
struct Segments {
    index_t first_row = kNoRow;  ///< the first row to end in this lane, if any
    T first_sum{0};              ///< its sum within this lane
    T before{0};        ///< what lanes before, of this warp, have of the row this lane begins with
    T rest{0};          ///< of the row that goes on after this lane, all lanes before included
    unsigned ends = 0;  ///< lanes in which a row ends
};

/// Rows do not fall along the lanes. Entry i of a lane is the last of its row when the next entry
/// has another one; `next` is the row of the entry after the last of this lane. Calls
/// store(row, sum) for rows whose entries all lie in one lane. All lanes of the warp take part.
template <int Items, class T, class Store>
__device__ __forceinline__ Segments<T> sum_segments(const T (&product)[Items],
                                                    const index_t (&row)[Items], index_t next,
                                                    int lane, Store store) {
    Segments<T> s;
    T sum{0};
#pragma unroll
    for (int i = 0; i < Items; ++i) {
        sum += product[i];
        const index_t after = i + 1 < Items ? row[i + 1 < Items ? i + 1 : 0] : next;
        if (row[i] != kNoRow && row[i] != after) {
            if (s.first_row == kNoRow)
                s.first_row = row[i], s.first_sum = sum;
            else
                store(row[i], sum);
            sum = T{0};
        }
    }
    s.ends = __ballot_sync(kFullMask, s.first_row != kNoRow);
    const LaneSums<T> sums = collect_open_sums(sum, s.ends, lane);
    s.before = sums.before;
    s.rest = sums.rest;
    return s;
}

}  // namespace sptune::cuda
