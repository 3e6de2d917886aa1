// What is summed over all rows.
#pragma once

#include "features/cuda/sums.hpp"
#include "features/fingerprint.hpp"
#include "matrix/cuda/device.cuh"

namespace sptune::cuda::rows {

constexpr int kThreads = 256;

/// Block number `block` of `blocks`, which has kThreads. Adds what the row pointers alone tell,
/// their part of the hash included, and lists the lengths of kShortRows or more, in no order: the
/// first ones in `sums`, number n from kFirstLongRows on in long_rows[n] (room for nnz /
/// kShortRows). A warp takes 32 rows that start at a multiple of 32, as warp_slots needs.
template <class P>
__device__ void visit_rows(const P* row_ptr, index_t rows, unsigned block, unsigned blocks,
                           std::int64_t* long_rows, Sums* sums) {
    __shared__ unsigned short_rows[kShortRows];
    __shared__ count_t scratch[3][kThreads / kWarp];
    for (unsigned i = threadIdx.x; i < kShortRows; i += kThreads) short_rows[i] = 0;
    __syncthreads();
    const int lane = threadIdx.x % kWarp;
    const std::int64_t step = std::int64_t{blocks} * kThreads;
    const std::int64_t own = std::int64_t{block} * kThreads + threadIdx.x;
    count_t hash = 0, difference = 0, slots = 0;
    for (std::int64_t i = own; i - lane < rows; i += step) {
        const bool inside = i < rows;
        const P begin = inside ? row_ptr[i] : 0, end = inside ? row_ptr[i + 1] : 0;
        const P length = end - begin;
        P before = __shfl_up_sync(kFullMask, length, 1);
        if (lane == 0) before = i > 0 ? begin - row_ptr[i - 1] : length;
        const P longest = warp_max(length);
        if (lane == 0) slots += kWarp * static_cast<count_t>(longest);
        // Often all rows are equally long, and 32 additions to one place would wait for each other.
        const P first = __shfl_sync(kFullMask, length, 0);
        const unsigned insiders = __ballot_sync(kFullMask, inside);
        const bool alike = __all_sync(kFullMask, length == first || !inside);
        if (!inside) continue;
        hash += pointer_term(begin, i);
        difference += static_cast<count_t>(length > before ? length - before : before - length);
        if (length >= static_cast<P>(kShortRows)) {
            const count_t n = atomicAdd(&sums->row_lengths.listed, count_t{1});
            (n < kFirstLongRows ? sums->first_long_rows : long_rows)[n] = length;
        } else if (!alike)
            atomicAdd(&short_rows[length], 1u);
        else if (lane == 0)
            atomicAdd(&short_rows[length], static_cast<unsigned>(__popc(insiders)));
    }
    if (own == 0) hash += pointer_term(row_ptr[rows], rows);
    hash = block_sum<kThreads>(hash, scratch[0]);
    difference = block_sum<kThreads>(difference, scratch[1]);
    slots = block_sum<kThreads>(slots, scratch[2]);
    if (threadIdx.x == 0) {
        atomicAdd(&sums->hash, hash);
        atomicAdd(&sums->neighbour_diff, difference);
        atomicAdd(&sums->warp_slots, slots);
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < kShortRows; i += kThreads)
        if (short_rows[i]) atomicAdd(&sums->row_lengths.few[i], short_rows[i]);
}

}  // namespace sptune::cuda::rows
