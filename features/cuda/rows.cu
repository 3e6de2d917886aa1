#include "features/cuda/rows.hpp"
#include "features/fingerprint.hpp"
#include "matrix/cuda/device.cuh"
#include "matrix/cuda/launch.hpp"

#include <algorithm>

namespace sptune::cuda {
namespace {

constexpr int kThreads = 256;

template <class P>
__device__ P warp_max(P length) {
    for (int offset = kWarp / 2; offset > 0; offset /= 2)
        length = max(length, __shfl_xor_sync(kFullMask, length, offset));
    return length;
}

/// A warp takes 32 rows that start at a multiple of 32, as warp_slots needs.
template <class P>
__global__ void __launch_bounds__(kThreads)
    visit_rows(const P* row_ptr, index_t rows, std::int64_t* long_rows, Sums* sums) {
    __shared__ unsigned short_rows[kShortRows];
    __shared__ count_t scratch[3][kThreads / kWarp];
    let_next_begin();
    for (unsigned i = threadIdx.x; i < kShortRows; i += kThreads) short_rows[i] = 0;
    __syncthreads();
    const int lane = threadIdx.x % kWarp;
    const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kThreads;
    count_t hash = 0, difference = 0, slots = 0;
    for (std::int64_t i = global_thread(); i - lane < rows; i += step) {
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
    if (global_thread() == 0) hash += pointer_term(row_ptr[rows], rows);
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
    end_after_previous();
}

}  // namespace

template <class P>
void add_rows(const P* row_ptr, index_t rows, std::int64_t* long_rows, Sums* sums) {
    const unsigned most = static_cast<unsigned>(8 * multiprocessors());
    const unsigned blocks = std::min(blocks_for(rows, kThreads), most);
    launch_early(visit_rows<P>, blocks, kThreads, nullptr, row_ptr, rows, long_rows, sums);
}

template void add_rows(const std::int32_t*, index_t, std::int64_t*, Sums*);
template void add_rows(const std::int64_t*, index_t, std::int64_t*, Sums*);

}  // namespace sptune::cuda
