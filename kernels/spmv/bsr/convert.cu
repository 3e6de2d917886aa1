#include "kernels/cuda/columns_sorted.cuh"
#include "kernels/instantiate.hpp"
#include "kernels/spmv/bsr/cuda_format.hpp"
#include "kernels/spmv/bsr/long_block_rows.cuh"
#include "kernels/spmv/bsr/walk.cuh"
#include "matrix/partition_point.hpp"

#include <limits>

namespace sptune::cuda {
namespace {

constexpr int kThreads = 256;

/// Where block n of a block row goes: its first column to column[n · column_pitch], its entry
/// (i, j) to values[(n · c + j) · pitch + i].
template <class T>
struct Place {
    T* values;
    index_t* column;
    std::int64_t pitch, column_pitch;
    int blocks;
};

template <class T>
struct Packed {
    static constexpr bool contiguous = true;
    const std::int32_t* block_ptr;
    index_t* column;
    T* values;

    __device__ Place<T> operator()(std::int64_t b, int r, int c) const {
        const std::int64_t k = block_ptr[b];
        return {values + k * r * c, column + k, r, 1, block_ptr[b + 1] - block_ptr[b]};
    }
};

template <class T>
struct Sliced {
    static constexpr bool contiguous = false;
    const std::int64_t* slice_ptr;
    const std::int32_t* length;
    index_t* column;
    T* values;

    __device__ Place<T> operator()(std::int64_t b, int r, int c) const {
        const std::int64_t k = slice_ptr[b / kBsrSlice] * kBsrSlice, place = b % kBsrSlice;
        return {values + k * r * c + place * r, column + k + place, std::int64_t{r} * kBsrSlice,
                kBsrSlice, length[b]};
    }
};

/// A warp for each block row (a thread block for the listed ones): writes first columns and zeros,
/// then adds each entry to its block, found by bisection. All but the last is coalesced.
template <bool Long, class T, class P, class Layout>
__global__ void __launch_bounds__(kThreads)
    fill_blocks(BlockRows<P> a, const index_t* all_starts, const index_t* long_rows,
                const T* entries, Layout layout) {
    constexpr int threads = Long ? kThreads : kWarp;
    const int id = threadIdx.x % threads;
    const std::int64_t b = Long ? std::int64_t{long_rows[blockIdx.x]} : global_thread() / kWarp;
    if (b >= a.block_rows || a.is_long(b) != Long) return;
    const P begin = a.begin(b), end = a.end(b);
    const index_t* start = all_starts + begin;
    const Place<T> to = layout(b, a.r, a.c);
    for (int n = id; n < to.blocks; n += threads) to.column[n * to.column_pitch] = start[n];
    for (std::int64_t k = id; k < std::int64_t{to.blocks} * a.r * a.c; k += threads)
        to.values[Layout::contiguous ? k : k / a.r * to.pitch + k % a.r] = T{0};
    if constexpr (Long)
        __syncthreads();
    else
        __syncwarp();
    for (P k = begin + id; k < end; k += threads) {
        const index_t j = a.col_idx[k];
        // The last block that begins at j or before.
        const int n = partition_point(1, to.blocks, [&](int i) { return start[i] <= j; }) - 1;
        std::int64_t row = b * a.r;
        while (a.row_ptr[row + 1] <= k) ++row;
        const std::int64_t at = std::int64_t{n} * a.c + (j - start[n]);
        atomicAdd(to.values + at * to.pitch + (row - b * a.r), entries[k]);  // may be there twice
    }
}

template <class T, class P, class Layout>
void fill(const Walked<P>& w, const T* entries, const Layout& layout) {
    if (w.start.empty()) return;
    fill_blocks<false><<<blocks_for(w.a.block_rows, kThreads / kWarp), kThreads>>>(
        w.a, w.start.data(), w.long_rows.data(), entries, layout);
    SPTUNE_CUDA_LAUNCHED("fill_blocks");
    if (w.longs == 0) return;
    fill_blocks<true>
        <<<w.longs, kThreads>>>(w.a, w.start.data(), w.long_rows.data(), entries, layout);
    SPTUNE_CUDA_LAUNCHED("fill_blocks (long)");
}

/// A warp per slice.
__global__ void find_widths(const std::int32_t* count, index_t block_rows, std::int64_t* width) {
    const std::int64_t b = global_thread();
    const int widest = __reduce_max_sync(kFullMask, b < block_rows ? count[b] : 0);
    if (b < block_rows && threadIdx.x % kBsrSlice == 0) width[b / kBsrSlice] = widest;
}

/// slices + 1 numbers, the last unused.
template <class P>
DeviceBuffer<std::int64_t> slice_widths(const Walked<P>& w) {
    static_assert(kBsrSlice == kWarp);
    const std::int64_t slices = (std::int64_t{w.a.block_rows} + kBsrSlice - 1) / kBsrSlice;
    DeviceBuffer<std::int64_t> width(static_cast<std::size_t>(slices) + 1);
    if (slices == 0) return width;
    find_widths<<<blocks_for(w.a.block_rows, kThreads), kThreads>>>(w.count.data(), w.a.block_rows,
                                                                    width.data());
    SPTUNE_CUDA_LAUNCHED("find_widths");
    return width;
}

template <class P>
std::int64_t blocks_of(const Walked<P>& w) {
    return sum_of(w.count.data(), w.a.block_rows);
}

template <class T, class P>
std::string why_illegal(CsrView<T, P> a, int c) {
    if (a.cols < c) return "fewer columns than a block has";
    if (!columns_sorted<Repeats::allowed>(a)) return "the columns of a row are not sorted";
    return {};
}

template <class T, class P>
Walked<P> walk_or_throw(CsrView<T, P> a, int r, int c) {
    if (const std::string reason = why_illegal(a, c); !reason.empty())
        throw Error("BSR is impossible: " + reason);
    return walk(a, r, c, true);
}

}  // namespace

template <class T, class P>
Footprint BsrFormat::inspect(CsrView<T, P> a, const Features&, const Params& params) {
    const int r = get(params, "r"), c = get(params, "c");
    Footprint f;
    f.illegal = why_illegal(a, c);
    if (!f.illegal.empty()) return f;
    const Walked<P> w = walk(a, r, c, false);
    const auto blocks = static_cast<std::uint64_t>(blocks_of(w));
    if (blocks > std::numeric_limits<std::int32_t>::max()) f.illegal = "2^31 blocks or more";
    f.moved_bytes = blocks * (sizeof(index_t) + sizeof(T) * r * c) + w.count.bytes();
    // A long block row has at most twice as many pieces as it has full ones.
    f.storage_bytes = f.moved_bytes + blocks / BsrStorage<T>::kLongBlocks *
                                          (2 * (sizeof(T) * r + sizeof(std::int32_t)) + 16);
    return f;
}

template <class T, class P>
std::unique_ptr<Storage> BsrFormat::convert(CsrView<T, P> a, const Params& params, int) {
    const int r = get(params, "r"), c = get(params, "c");
    auto s = std::make_unique<BsrStorage<T>>();
    Walked<P> w = walk_or_throw(a, r, c);
    s->rows = a.rows;
    s->cols = a.cols;
    s->r = r;
    s->block_ptr = std::move(w.count);
    const auto blocks = static_cast<std::size_t>(counts_to_pointers(s->block_ptr));
    s->column = DeviceBuffer<index_t>(blocks);
    s->values = DeviceBuffer<T>(blocks * r * c);
    fill(w, a.values, Packed<T>{s->block_ptr.data(), s->column.data(), s->values.data()});
    cut_long_block_rows(*s);
    SPTUNE_CUDA(cudaStreamSynchronize(nullptr));
    return s;
}

template <class T, class P>
Footprint BsrSlicedFormat::inspect(CsrView<T, P> a, const Features&, const Params& params) {
    const int r = get(params, "r"), c = get(params, "c");
    Footprint f;
    f.illegal = why_illegal(a, c);
    if (!f.illegal.empty()) return f;
    const Walked<P> w = walk(a, r, c, false);
    const DeviceBuffer<std::int64_t> width = slice_widths(w);
    const auto widths = static_cast<std::uint64_t>(
        sum_of(width.data(), static_cast<std::int64_t>(width.size()) - 1));
    const std::uint64_t block_bytes = sizeof(index_t) + sizeof(T) * r * c;
    f.storage_bytes = widths * kBsrSlice * block_bytes + width.bytes() + w.count.bytes();
    f.moved_bytes =
        static_cast<std::uint64_t>(blocks_of(w)) * block_bytes + width.bytes() + w.count.bytes();
    return f;
}

template <class T, class P>
std::unique_ptr<Storage> BsrSlicedFormat::convert(CsrView<T, P> a, const Params& params, int) {
    const int r = get(params, "r"), c = get(params, "c");
    auto s = std::make_unique<BsrSlicedStorage<T>>();
    Walked<P> w = walk_or_throw(a, r, c);
    s->rows = a.rows;
    s->cols = a.cols;
    s->slice_ptr = slice_widths(w);
    const auto places = static_cast<std::size_t>(counts_to_pointers(s->slice_ptr)) * kBsrSlice;
    const auto blocks = static_cast<std::uint64_t>(blocks_of(w));
    s->length = std::move(w.count);
    s->column = DeviceBuffer<index_t>(places);
    s->values = DeviceBuffer<T>(places * r * c);
    s->moved_bytes =
        blocks * (sizeof(index_t) + sizeof(T) * r * c) + s->slice_ptr.bytes() + s->length.bytes();
    fill(w, a.values,
         Sliced<T>{s->slice_ptr.data(), s->length.data(), s->column.data(), s->values.data()});
    SPTUNE_CUDA(cudaStreamSynchronize(nullptr));
    return s;
}

SPTUNE_INSTANTIATE_FORMAT(BsrFormat)
SPTUNE_INSTANTIATE_FORMAT(BsrSlicedFormat)

}  // namespace sptune::cuda
