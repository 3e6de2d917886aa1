// Hands the entries of a CSR matrix on with neighbouring rows in neighbouring lanes: both the reads
// and what a column-major format writes are coalesced, by way of shared memory.
#pragma once

#include "kernels/cuda/device.cuh"
#include "kernels/cuda/launch.hpp"
#include "matrix/csr.hpp"

#include <algorithm>
#include <bit>

namespace sptune::cuda {

/// Rows of a slice: a warp writes one entry of each.
inline constexpr int kSlice = 32;

inline std::int64_t slices_of(std::int64_t rows) {
    return (rows + kSlice - 1) / kSlice;
}

/// Entry j of stored row `place`; past the end of the row `valid` is false, `value` 0 and `column`
/// the row's last, or -1 in an empty row.
template <class T>
struct RowEntry {
    std::int64_t place;
    std::int64_t j;
    index_t row;  ///< of A; -1: past the last
    index_t column;
    T value;
    bool valid;
};

namespace {  // each source has its own: docs/add-a-format.md

/// What a block knows of its rows.
template <class T, class P>
struct TransposedRows {
    CsrView<T, P> a;
    const index_t* order;   ///< stored row -> row of A; nullptr: as they are
    int log_width;          ///< entries of each row at a time
    std::int64_t from, to;  ///< which entries of each row
};

/// `Emit` has width(first, longest), how many entries to ask for in the slice that begins with
/// stored row `first`, and a call operator that takes each.
template <class T, class P, class Emit>
__global__ void __launch_bounds__(256) transpose_rows_kernel(TransposedRows<T, P> rows, Emit emit) {
    constexpr int kPitch = 33;
    __shared__ T value[kSlice * kPitch];
    __shared__ index_t column[kSlice * kPitch];
    __shared__ P begin[kSlice];
    __shared__ index_t row[kSlice], length[kSlice];
    __shared__ index_t longest;
    const CsrView<T, P>& a = rows.a;
    const int tid = static_cast<int>(threadIdx.x), width = 1 << rows.log_width;
    const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kSlice;
    if (tid < kSlice) {
        const std::int64_t k = first + tid;
        index_t i = -1, n = 0;
        P at = 0;
        if (k < a.rows) {
            i = rows.order ? rows.order[k] : static_cast<index_t>(k);
            at = a.row_ptr[i];
            n = static_cast<index_t>(a.row_ptr[i + 1] - at);
        }
        row[tid] = i, begin[tid] = at, length[tid] = n;
        n = __reduce_max_sync(kFullMask, n);
        if (tid == 0) longest = n;
    }
    __syncthreads();
    const std::int64_t end = min(rows.to, static_cast<std::int64_t>(emit.width(first, longest)));
    for (std::int64_t base = rows.from + std::int64_t{blockIdx.y} * width; base < end;
         base += std::int64_t{gridDim.y} * width) {
        for (int idx = tid; idx < kSlice * width; idx += static_cast<int>(blockDim.x)) {
            const int r = idx >> rows.log_width, j = idx & (width - 1);
            const int at = r * (width + 1) + j;
            const index_t n = length[r];
            const bool valid = base + j < n;
            const P k = begin[r] + static_cast<P>(valid ? base + j : n - 1);
            column[at] = n > 0 ? a.col_idx[k] : -1;
            value[at] = valid ? a.values[k] : T{0};
        }
        __syncthreads();
        for (int idx = tid; idx < kSlice * width; idx += static_cast<int>(blockDim.x)) {
            const int r = idx % kSlice, j = idx / kSlice;
            const int at = r * (width + 1) + j;
            if (base + j < end)
                emit(RowEntry<T>{first + r, base + j, row[r], column[at], value[at],
                                 base + j < length[r]});
        }
        __syncthreads();
    }
}

/// Runs it for the first `slices` slices and the entries [from, to) of each row, `mean` long on the
/// whole, with up to `parts` blocks for a slice.
template <class T, class P, class Emit>
void transpose_rows(CsrView<T, P> a, const index_t* order, std::int64_t slices, std::int64_t from,
                    std::int64_t to, std::int64_t parts, Emit emit) {
    if (slices == 0 || from >= to) return;
    // Beyond a whole warp of entries only long rows are left.
    const std::int64_t mean = from > 0 || a.rows == 0 ? kWarp : a.nnz() / a.rows + 1;
    const auto widest = static_cast<std::uint64_t>(std::clamp<std::int64_t>(mean, 4, kWarp));
    const int log_width = std::bit_width(std::bit_ceil(widest)) - 1;
    constexpr std::int64_t kMostParts = 1024;
    parts = std::clamp<std::int64_t>(std::min(parts, (to - from) >> log_width), 1, kMostParts);
    const dim3 grid(static_cast<unsigned>(slices), static_cast<unsigned>(parts));
    transpose_rows_kernel<<<grid, 256>>>(TransposedRows<T, P>{a, order, log_width, from, to}, emit);
    SPTUNE_CUDA_LAUNCHED("transpose_rows");
}

/// How many blocks should share a slice when all slices are alike: as many as fill the device.
inline std::int64_t parts_for(std::int64_t slices) {
    return slices ? 16 * std::int64_t{multiprocessors()} / slices + 1 : 1;
}

}  // namespace
}  // namespace sptune::cuda
