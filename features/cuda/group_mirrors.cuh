// Whether the entries of a group have mirror images, and equal ones.
#pragma once

#include "features/cuda/group.cuh"
#include "features/cuda/sample.hpp"

namespace sptune::cuda::groups {

/// The mirror image of (row, column) at k, as std::find or a search by halving would find it: the
/// first one. -1: none. All lanes of the warp take part if rows are not sorted.
template <class P>
__device__ std::int64_t mirror_of(const P* row_ptr, const index_t* col_idx, index_t row,
                                  index_t column) {
    const P begin = row_ptr[column], end = row_ptr[column + 1];
    const P found = first_not_below(col_idx, begin, end, row);
    return found < end && col_idx[found] == row ? static_cast<std::int64_t>(found) : -1;
}
template <class P>
__device__ std::int64_t unsorted_mirror_of(const P* row_ptr, const index_t* col_idx, index_t row,
                                           index_t column) {
    const P end = row_ptr[column + 1];
    for (P k = row_ptr[column]; k < end; k += kWarp) {
        const P own = k + static_cast<P>(threadIdx.x % kWarp);
        const unsigned here = __ballot_sync(kFullMask, own < end && col_idx[own] == row);
        if (here) return k + __ffs(static_cast<int>(here)) - 1;
    }
    return -1;
}

/// Looks for the mirror images of a part of the entries.
template <class T, class P>
__device__ void visit_mirrors(CsrView<T, P> a, const Group& group, const DeviceSample& sample,
                              std::int64_t work, bool sorted, int part, Sums* sums) {
    __shared__ count_t sampled;
    __shared__ unsigned found[3];
    if (threadIdx.x == 0) sampled = 0;
    if (threadIdx.x < 3) found[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x < sample.count) {
        const RowWindow w = sample.windows[threadIdx.x];
        atomicAdd(&sampled, static_cast<count_t>(a.row_ptr[w.last] - a.row_ptr[w.first]));
    }
    __syncthreads();
    const std::int64_t stride = mirror_stride(static_cast<std::int64_t>(sampled), work);
    unsigned looked = 0, present = 0, equal = 0;
    const int width = sorted ? 1 : kWarp;  // threads for an entry
    const int place = static_cast<int>(threadIdx.x) / width, places = threads() / width;
    for (std::int64_t k = group.begin() + (part * places + place) * stride; k < group.end();
         k += kParts * places * stride) {
        const auto row = static_cast<index_t>(group.first + group.stored.row(k, group.rows));
        const index_t column = a.col_idx[k];
        if (row == column) continue;
        if (!sorted && a.row_ptr[column + 1] - a.row_ptr[column] > kMostUnsorted) continue;
        const std::int64_t mirror = sorted ? mirror_of(a.row_ptr, a.col_idx, row, column)
                                           : unsorted_mirror_of(a.row_ptr, a.col_idx, row, column);
        if (threadIdx.x % width) continue;
        ++looked;
        if (mirror < 0) continue;
        ++present;
        equal += a.values[mirror] == a.values[k];
    }
    looked = __reduce_add_sync(kFullMask, looked);
    present = __reduce_add_sync(kFullMask, present);
    equal = __reduce_add_sync(kFullMask, equal);
    if (threadIdx.x % kWarp == 0 && looked) {
        atomicAdd(&found[0], looked);
        atomicAdd(&found[1], present);
        atomicAdd(&found[2], equal);
    }
    __syncthreads();
    if (threadIdx.x > 0 || found[0] == 0) return;
    atomicAdd(&sums->mirror_entries, count_t{found[0]});
    atomicAdd(&sums->mirrors_present, count_t{found[1]});
    atomicAdd(&sums->mirrors_equal, count_t{found[2]});
}

}  // namespace sptune::cuda::groups
