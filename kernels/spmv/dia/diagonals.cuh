// Which diagonals of a matrix are worth keeping, found on the GPU.
#pragma once

#include "kernels/cuda/sort.hpp"
#include "kernels/spmv/entry_rows.cuh"

namespace sptune::cuda {

/// Diagonals are numbered from the lower left corner: row 0 of the last column has the largest.
__host__ __device__ inline std::uint32_t diagonal_of(index_t row, index_t column, index_t rows) {
    return static_cast<std::uint32_t>(std::int64_t{column} + rows - 1 - row);
}

struct Diagonals {
    std::int64_t kept = 0;           ///< how many
    std::int64_t on = 0;             ///< entries on them
    DeviceBuffer<index_t> slot;      ///< of each diagonal by its number; -1: not kept
    DeviceBuffer<index_t> diagonal;  ///< column - row of each kept one, rising
};

/// Counts entries in a table in shared memory first: in a stencil all go to a few diagonals.
template <class P>
__global__ void __launch_bounds__(kEntryThreads)
    count_diagonals(const P* row_ptr, const index_t* col_idx, index_t rows, std::int64_t entries,
                    unsigned* count) {
    constexpr int kLogPlaces = 10, kPlaces = 1 << kLogPlaces;
    constexpr unsigned kNone = 0xffffffffu;
    __shared__ unsigned key[kPlaces], seen[kPlaces];
    for (int i = static_cast<int>(threadIdx.x); i < kPlaces; i += kEntryThreads)
        key[i] = kNone, seen[i] = 0;
    __syncthreads();
    for_entries_of_block(row_ptr, rows, entries, [&](index_t row, std::int64_t k, bool valid) {
        if (!valid) return;
        const unsigned d = diagonal_of(row, col_idx[k], rows);
        const unsigned place = (d * 2654435761u) >> (32 - kLogPlaces);
        unsigned owner = *static_cast<volatile unsigned*>(key + place);
        if (owner == kNone) {
            owner = atomicCAS(key + place, kNone, d);
            if (owner == kNone) owner = d;
        }
        if (owner == d)
            atomicAdd(seen + place, 1u);
        else
            atomicAdd(count + d, 1u);
    });
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < kPlaces; i += kEntryThreads)
        if (seen[i]) atomicAdd(count + key[i], seen[i]);
}

/// Whether diagonal d is kept: occupied at all, and to at least `percent`.
__device__ inline bool is_kept(const unsigned* count, std::int64_t d, index_t rows, index_t cols,
                               int percent) {
    const std::int64_t n = count[d], offset = d - (rows - 1);
    const std::int64_t length =
        min(static_cast<std::int64_t>(rows), cols - offset) - max(std::int64_t{0}, -offset);
    return n > 0 && n * 100 >= length * percent;
}

/// totals[0] and [1] become the number of kept diagonals and of entries on them.
static __global__ void total_diagonals(const unsigned* count, index_t rows, index_t cols,
                                       int percent, unsigned long long* totals) {
    const std::int64_t all = std::int64_t{rows} + cols;
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    unsigned long long kept = 0, on = 0;
    for (std::int64_t d = global_thread(); d < all; d += stride)
        if (is_kept(count, d, rows, cols, percent)) ++kept, on += count[d];
    kept = group_sum<kWarp>(kept), on = group_sum<kWarp>(on);
    if (threadIdx.x % kWarp == 0 && kept) atomicAdd(totals, kept), atomicAdd(totals + 1, on);
}

/// Lists the kept diagonals in any order.
static __global__ void list_diagonals(const unsigned* count, index_t rows, index_t cols,
                                      int percent, unsigned* listed, std::uint32_t* number,
                                      index_t* diagonal) {
    const std::int64_t all = std::int64_t{rows} + cols;
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    for (std::int64_t d = global_thread(); d < all; d += stride) {
        if (!is_kept(count, d, rows, cols, percent)) continue;
        const unsigned at = atomicAdd(listed, 1u);
        number[at] = static_cast<std::uint32_t>(d);
        diagonal[at] = static_cast<index_t>(d - (rows - 1));
    }
}

static __global__ void number_slots(const std::uint32_t* number, std::int64_t kept, index_t* slot) {
    const std::int64_t k = global_thread();
    if (k < kept) slot[number[k]] = static_cast<index_t>(k);
}

/// Finds the diagonals that are occupied to at least `percent`; kAll (0): at all. Slots are given
/// only where a diagonal is kept.
template <class T, class P>
Diagonals choose_diagonals(CsrView<T, P> a, int percent) {
    constexpr int kThreads = 256;
    Diagonals chosen;
    const auto entries = static_cast<std::int64_t>(a.nnz());
    if (entries == 0) return chosen;
    const std::int64_t all = std::int64_t{a.rows} + a.cols;
    DeviceBuffer<unsigned> count(static_cast<std::size_t>(all));
    count.fill_bytes(0);
    count_diagonals<<<entry_blocks(entries), kEntryThreads>>>(a.row_ptr, a.col_idx, a.rows, entries,
                                                              count.data());
    SPTUNE_CUDA_LAUNCHED("count_diagonals");
    DeviceBuffer<unsigned long long> totals(3);  // the third counts what is listed
    totals.fill_bytes(0);
    const unsigned blocks =
        std::min(blocks_for(all, kThreads), 8u * static_cast<unsigned>(multiprocessors()));
    total_diagonals<<<blocks, kThreads>>>(count.data(), a.rows, a.cols, percent, totals.data());
    SPTUNE_CUDA_LAUNCHED("total_diagonals");
    unsigned long long found[2];
    SPTUNE_CUDA(cudaMemcpy(found, totals.data(), sizeof found, cudaMemcpyDeviceToHost));
    chosen.kept = static_cast<std::int64_t>(found[0]);
    chosen.on = static_cast<std::int64_t>(found[1]);
    if (chosen.kept == 0) return chosen;
    DeviceBuffer<std::uint32_t> number(static_cast<std::size_t>(chosen.kept));
    chosen.diagonal = DeviceBuffer<index_t>(number.size());
    list_diagonals<<<blocks, kThreads>>>(count.data(), a.rows, a.cols, percent,
                                         reinterpret_cast<unsigned*>(totals.data() + 2),
                                         number.data(), chosen.diagonal.data());
    SPTUNE_CUDA_LAUNCHED("list_diagonals");
    sort_by_key(number, chosen.diagonal, bits_for(static_cast<std::uint64_t>(all)));
    chosen.slot = DeviceBuffer<index_t>(count.size());
    chosen.slot.fill_bytes(0xff);
    number_slots<<<blocks_for(chosen.kept, kThreads), kThreads>>>(number.data(), chosen.kept,
                                                                  chosen.slot.data());
    SPTUNE_CUDA_LAUNCHED("number_slots");
    return chosen;
}

}  // namespace sptune::cuda
