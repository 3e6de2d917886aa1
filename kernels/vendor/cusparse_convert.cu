#include "kernels/cuda/device.cuh"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/primitives.hpp"
#include "kernels/vendor/cusparse_convert.hpp"
#include "kernels/with_constant.hpp"

#include <limits>
#include <stdexcept>

namespace sptune::cusparse {
namespace {

using namespace cuda;

constexpr int kThreads = 256;

template <class P, class N>
__global__ void count_sell(const P* row_ptr, index_t rows, int c, std::int64_t slices, N* entries) {
    const std::int64_t s = global_thread();
    if (s >= slices) return;
    const std::int64_t first = s * c, last = min(first + c, std::int64_t{rows});
    P width = 0;
    for (std::int64_t i = first; i < last; ++i) width = max(width, row_ptr[i + 1] - row_ptr[i]);
    entries[s] = static_cast<N>(width) * c;
}

/// A warp per row, padding rows included.
template <class T, class P>
__global__ void fill_sell(CsrView<T, P> a, int c, std::int64_t padded_rows, const P* slice_ptr,
                          index_t* index, T* values) {
    const std::int64_t i = global_thread() / kWarp;
    if (i >= padded_rows) return;
    const std::int64_t slice = i / c;
    const P first = slice_ptr[slice];
    const P width = (slice_ptr[slice + 1] - first) / c;
    const P begin = i < a.rows ? a.row_ptr[i] : 0;
    const P length = i < a.rows ? a.row_ptr[i + 1] - begin : 0;
    for (P j = threadIdx.x % kWarp; j < width; j += kWarp) {
        const std::int64_t at = first + static_cast<std::int64_t>(j) * c + i % c;
        index[at] = j < length ? a.col_idx[begin + j] : -1;
        values[at] = j < length ? a.values[begin + j] : T{0};
    }
}

std::int64_t slices_of(index_t rows, int c) {
    return (std::int64_t{rows} + c - 1) / c;
}

/// Merges the S rows of block row `b`: begin(block column), then entry(row in block, column in
/// block, position in A). False where the columns turn out not to be sorted.
template <int S, class T, class P, class Begin, class Entry>
__device__ bool visit_blocks(const CsrView<T, P>& a, index_t b, Begin begin, Entry entry) {
    constexpr index_t kNone = std::numeric_limits<index_t>::max();
    P at[S], end[S];
#pragma unroll
    for (int i = 0; i < S; ++i) at[i] = a.row_ptr[b * S + i], end[i] = a.row_ptr[b * S + i + 1];
    for (index_t last = -1;;) {
        index_t column = kNone;
#pragma unroll
        for (int i = 0; i < S; ++i)
            if (at[i] < end[i]) column = min(column, a.col_idx[at[i]] / S);
        if (column == kNone) return true;
        if (column <= last) return false;
        begin(column);
#pragma unroll
        for (int i = 0; i < S; ++i)
            for (; at[i] < end[i] && a.col_idx[at[i]] / S == column; ++at[i])
                entry(i, a.col_idx[at[i]] - column * S, at[i]);
        last = column;
    }
}

template <int S, class T, class P, class N>
__global__ void count_blocks(CsrView<T, P> a, index_t block_rows, N* blocks, int* unsorted) {
    const std::int64_t b = global_thread();
    if (b >= block_rows) return;
    N count = 0;
    const bool sorted = visit_blocks<S>(
        a, static_cast<index_t>(b), [&](index_t) { ++count; }, [](int, int, P) {});
    blocks[b] = count;
    if (!sorted) *unsorted = 1;  // whoever writes it, writes the same
}

template <int S, class T, class P>
__global__ void fill_blocks(CsrView<T, P> a, index_t block_rows, const P* block_ptr, index_t* index,
                            T* values) {
    const std::int64_t b = global_thread();
    if (b >= block_rows) return;
    std::int64_t k = static_cast<std::int64_t>(block_ptr[b]) - 1;
    visit_blocks<S>(
        a, static_cast<index_t>(b), [&](index_t column) { index[++k] = column; },
        [&](int i, int j, P from) { values[(k * S + i) * S + j] += a.values[from]; });
}

/// Calls run with `size` as a compile-time number.
template <class Run>
void with_size(int size, Run run) {
    with_constant<2, 3, 4, 8>(
        size, run, [] { return std::logic_error("no conversion to blocks of this size"); });
}

/// Blocks of each block row, in the first `rows / size` of rows / size + 1 numbers; false where the
/// columns are not sorted.
template <class N, class T, class P>
bool blocks_of_rows(CsrView<T, P> a, int size, DeviceBuffer<N>& blocks) {
    const index_t block_rows = a.rows / size;
    blocks = DeviceBuffer<N>(static_cast<std::size_t>(block_rows) + 1);
    DeviceBuffer<int> unsorted(1);
    unsorted.fill_bytes(0);
    with_size(size, [&]<int S>(std::integral_constant<int, S>) {
        count_blocks<S><<<blocks_for(block_rows, kThreads), kThreads>>>(
            a, block_rows, blocks.data(), unsorted.data());
    });
    SPTUNE_CUDA_LAUNCHED("count_blocks");
    return unsorted.at(0) == 0;
}

}  // namespace

template <class P>
std::int64_t sell_entries(const P* row_ptr, index_t rows, int c) {
    const std::int64_t slices = slices_of(rows, c);
    if (slices == 0) return 0;
    DeviceBuffer<std::int64_t> entries(static_cast<std::size_t>(slices));
    count_sell<<<blocks_for(slices, kThreads), kThreads>>>(row_ptr, rows, c, slices,
                                                           entries.data());
    SPTUNE_CUDA_LAUNCHED("count_sell");
    return sum_of(entries.data(), slices);
}

template <class T, class P>
Arrays<T, P> to_sell(CsrView<T, P> a, int c) {
    const std::int64_t slices = slices_of(a.rows, c);
    Arrays<T, P> s;
    if (slices == 0) return s;
    s.pointer = DeviceBuffer<P>(static_cast<std::size_t>(slices) + 1);
    count_sell<<<blocks_for(slices, kThreads), kThreads>>>(a.row_ptr, a.rows, c, slices,
                                                           s.pointer.data());
    SPTUNE_CUDA_LAUNCHED("count_sell");
    const auto entries = static_cast<std::size_t>(counts_to_pointers(s.pointer));
    s.index = DeviceBuffer<index_t>(entries);
    s.values = DeviceBuffer<T>(entries);
    fill_sell<<<blocks_for(slices * c, kThreads / kWarp), kThreads>>>(
        a, c, slices * c, s.pointer.data(), s.index.data(), s.values.data());
    SPTUNE_CUDA_LAUNCHED("fill_sell");
    return s;
}

template <class T, class P>
std::int64_t bsr_blocks(CsrView<T, P> a, int size) {
    const index_t block_rows = a.rows / size;
    if (block_rows == 0) return 0;
    DeviceBuffer<std::int64_t> blocks;
    if (!blocks_of_rows(a, size, blocks)) return -1;
    return sum_of(blocks.data(), block_rows);
}

template <class T, class P>
Arrays<T, P> to_bsr(CsrView<T, P> a, int size) {
    const index_t block_rows = a.rows / size;
    Arrays<T, P> s;
    if (block_rows == 0) return s;
    if (!blocks_of_rows(a, size, s.pointer)) throw Error("BSR needs sorted columns");
    const auto blocks = static_cast<std::size_t>(counts_to_pointers(s.pointer));
    s.index = DeviceBuffer<index_t>(blocks);
    s.values = DeviceBuffer<T>(blocks * size * size);
    s.values.fill_bytes(0);
    with_size(size, [&]<int S>(std::integral_constant<int, S>) {
        fill_blocks<S><<<blocks_for(block_rows, kThreads), kThreads>>>(
            a, block_rows, s.pointer.data(), s.index.data(), s.values.data());
    });
    SPTUNE_CUDA_LAUNCHED("fill_blocks");
    return s;
}

#define SPTUNE_INSTANTIATE(T, P)                          \
    template Arrays<T, P> to_sell(CsrView<T, P>, int);    \
    template std::int64_t bsr_blocks(CsrView<T, P>, int); \
    template Arrays<T, P> to_bsr(CsrView<T, P>, int);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)
template std::int64_t sell_entries(const std::int32_t*, index_t, int);
template std::int64_t sell_entries(const std::int64_t*, index_t, int);

}  // namespace sptune::cusparse
