#include "features/cuda/product.hpp"
#include "features/cuda/sums.hpp"
#include "features/sample.hpp"
#include "matrix/cuda/check.hpp"
#include "matrix/cuda/device.cuh"
#include "matrix/cuda/device_buffer.hpp"
#include "matrix/cuda/grid.hpp"
#include "matrix/cuda/scratch.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

namespace sptune {
namespace cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kPiece = 4096;  // entries of a row that one warp looks at

/// The rest of a row that is longer than a piece.
struct Piece {
    index_t row;
    std::int64_t begin;
};

/// Over rows; all zero before the first kernel.
struct Totals {
    count_t products, longest, upper, pieces;
    double squares;
};

/// Sum over entries [begin, begin + kPiece) of A, `end` at most, in every lane of the warp.
template <class T, class P>
__device__ count_t products_of(CsrView<T, P> a, CsrView<T, P> b, std::int64_t begin,
                               std::int64_t end) {
    count_t sum = 0;
    end = min(end, begin + kPiece);
    for (std::int64_t k = begin + threadIdx.x % kWarp; k < end; k += kWarp) {
        const index_t row = a.col_idx[k];
        sum += static_cast<count_t>(b.row_ptr[row + 1] - b.row_ptr[row]);
    }
    return group_sum<kWarp>(sum);
}

/// A warp per row: the products of its first piece; the other ones are listed.
template <class T, class P>
__global__ void __launch_bounds__(kThreads)
    count_rows(CsrView<T, P> a, CsrView<T, P> b, count_t* products, Piece* pieces, Totals* totals) {
    const std::int64_t row = global_thread() / kWarp;
    if (row >= a.rows) return;
    const std::int64_t begin = a.row_ptr[row], end = a.row_ptr[row + 1];
    const count_t sum = products_of(a, b, begin, end);
    if (threadIdx.x % kWarp) return;
    products[row] = sum;
    for (std::int64_t rest = begin + kPiece; rest < end; rest += kPiece)
        pieces[atomicAdd(&totals->pieces, count_t{1})] = {static_cast<index_t>(row), rest};
}

/// A warp per listed piece.
template <class T, class P>
__global__ void __launch_bounds__(kThreads)
    count_pieces(CsrView<T, P> a, CsrView<T, P> b, count_t* products, const Piece* pieces,
                 const Totals* totals) {
    const auto at = static_cast<count_t>(global_thread() / kWarp);
    if (at >= totals->pieces) return;
    const Piece piece = pieces[at];
    const count_t sum = products_of(a, b, piece.begin, a.row_ptr[piece.row + 1]);
    if (threadIdx.x % kWarp == 0) atomicAdd(products + piece.row, sum);
}

__global__ void __launch_bounds__(kThreads)
    add_up(const count_t* products, std::int64_t rows, count_t cols, Totals* totals) {
    __shared__ count_t scratch[2][kThreads / kWarp];
    __shared__ double squares_scratch[kThreads / kWarp];
    count_t sum = 0, upper = 0, longest = 0;
    double squares = 0;
    const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kThreads;
    for (std::int64_t i = global_thread(); i < rows; i += step) {
        const count_t p = products[i];
        sum += p;
        upper += min(p, cols);
        longest = max(longest, p);
        squares += static_cast<double>(p) * static_cast<double>(p);
    }
    sum = block_sum<kThreads>(sum, scratch[0]);
    upper = block_sum<kThreads>(upper, scratch[1]);
    squares = block_sum<kThreads>(squares, squares_scratch);
    longest = warp_max(longest);
    if (threadIdx.x % kWarp == 0) atomicMax(&totals->longest, longest);
    if (threadIdx.x) return;
    atomicAdd(&totals->products, sum);
    atomicAdd(&totals->upper, upper);
    atomicAdd(&totals->squares, squares);
}

/// Products of each sampled row, 0 where they are too many.
__global__ void sizes_of(const count_t* products, const index_t* rows, std::int64_t count,
                         count_t most, count_t* size) {
    const std::int64_t i = global_thread();
    if (i >= count) return;
    const count_t p = products[rows[i]];
    size[i] = p <= most ? p : 0;
}

/// A warp per sampled row: number of the row and column of each product. Rows of B that are long
/// are written by the warp, others by a lane each.
template <class T, class P>
__global__ void __launch_bounds__(kThreads)
    expand(CsrView<T, P> a, CsrView<T, P> b, const index_t* rows, std::int64_t count,
           const count_t* begin_of, int bits, std::uint64_t* key) {
    constexpr std::int64_t kLong = 64;
    const std::int64_t i = global_thread() / kWarp;
    if (i >= count || begin_of[i] == begin_of[i + 1]) return;
    const int lane = threadIdx.x % kWarp;
    const std::uint64_t head = static_cast<std::uint64_t>(i) << bits;
    auto to = static_cast<std::int64_t>(begin_of[i]);
    const std::int64_t end = a.row_ptr[rows[i] + 1];
    for (std::int64_t base = a.row_ptr[rows[i]]; base < end; base += kWarp) {
        std::int64_t from = 0, length = 0;
        if (base + lane < end) {
            const index_t row = a.col_idx[base + lane];
            from = b.row_ptr[row];
            length = b.row_ptr[row + 1] - from;
        }
        std::int64_t last = length;  // of an inclusive scan
        for (int offset = 1; offset < kWarp; offset *= 2) {
            const std::int64_t other = __shfl_up_sync(kFullMask, last, offset);
            if (lane >= offset) last += other;
        }
        const std::int64_t at = to + last - length;
        if (length < kLong)
            for (std::int64_t l = 0; l < length; ++l)
                key[at + l] = head | static_cast<std::uint64_t>(b.col_idx[from + l]);
        for (unsigned left = __ballot_sync(kFullMask, length >= kLong); left; left &= left - 1) {
            const int who = __ffs(static_cast<int>(left)) - 1;
            const std::int64_t its_from = __shfl_sync(kFullMask, from, who),
                               its_at = __shfl_sync(kFullMask, at, who),
                               its_length = __shfl_sync(kFullMask, length, who);
            for (std::int64_t l = lane; l < its_length; l += kWarp)
                key[its_at + l] = head | static_cast<std::uint64_t>(b.col_idx[its_from + l]);
        }
        to += __shfl_sync(kFullMask, last, kWarp - 1);
    }
}

/// How many of the sorted keys differ from the one before.
__global__ void __launch_bounds__(kThreads)
    count_distinct(const std::uint64_t* key, std::int64_t size, count_t* distinct) {
    __shared__ count_t scratch[kThreads / kWarp];
    count_t own = 0;
    const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kThreads;
    for (std::int64_t k = global_thread(); k < size; k += step)
        own += k == 0 || key[k] != key[k - 1];
    own = block_sum<kThreads>(own, scratch);
    if (threadIdx.x == 0) atomicAdd(distinct, own);
}

unsigned some_blocks(std::int64_t work) {
    return std::min(blocks_for(work, kThreads), static_cast<unsigned>(8 * multiprocessors()));
}

template <class T, class P>
DeviceBuffer<count_t> count_products_on_device(CsrView<T, P> a, CsrView<T, P> b, Totals& found) {
    const auto nnz = static_cast<std::size_t>(a.nnz());
    DeviceBuffer<count_t> products(static_cast<std::size_t>(a.rows));
    DeviceBuffer<Piece> pieces(nnz / kPiece + 1);
    DeviceBuffer<Totals> totals(1);
    totals.fill_bytes(0);
    count_rows<<<blocks_for(std::int64_t{a.rows} * kWarp, kThreads), kThreads>>>(
        a, b, products.data(), pieces.data(), totals.data());
    SPTUNE_CUDA_LAUNCHED("count_rows");
    count_pieces<<<blocks_for(static_cast<std::int64_t>(pieces.size()) * kWarp, kThreads),
                   kThreads>>>(a, b, products.data(), pieces.data(), totals.data());
    SPTUNE_CUDA_LAUNCHED("count_pieces");
    add_up<<<some_blocks(a.rows), kThreads>>>(products.data(), a.rows, static_cast<count_t>(b.cols),
                                              totals.data());
    SPTUNE_CUDA_LAUNCHED("add_up");
    found = totals.at(0);
    return products;
}

struct Estimate {
    count_t looked_at = 0, found = 0;
};

template <class T, class P>
Estimate count_sampled(CsrView<T, P> a, CsrView<T, P> b, const DeviceBuffer<count_t>& products,
                       std::int64_t wanted) {
    constexpr std::int64_t kWindow = 32;  // as on the host
    const count_t most = std::min<count_t>(1 << 24, device_available_memory() / 64);
    for (;; wanted /= 4) {
        const RowSample sample(a.rows, wanted, kWindow,
                               std::max<std::int64_t>(1, wanted / kWindow));
        Buffer<index_t> listed(static_cast<std::size_t>(sample.rows()));
        std::size_t count = 0;
        for (const RowWindow& window : sample.windows())
            for (std::int64_t i = window.first; i < window.last; ++i)
                listed[count++] = static_cast<index_t>(i);
        const auto size = static_cast<std::int64_t>(count);
        const DeviceBuffer<index_t> rows(listed);
        DeviceBuffer<count_t> begin(count + 1);
        begin.fill_bytes(0);
        sizes_of<<<blocks_for(size, kThreads), kThreads>>>(products.data(), rows.data(), size,
                                                           kMostProductsOfRow, begin.data());
        SPTUNE_CUDA_LAUNCHED("sizes_of");
        with_scratch([&](void* scratch, std::size_t& bytes) {
            return cub::DeviceScan::ExclusiveSum(scratch, bytes, begin.data(), begin.data(),
                                                 size + 1);
        });
        const count_t total = begin.at(count);
        if (total == 0) return {};
        if (total > most) {
            if (wanted <= kWindow) return {};
            continue;
        }
        const int bits = std::bit_width(static_cast<unsigned>(b.cols));
        DeviceBuffer<std::uint64_t> key(total), other(total);
        expand<<<blocks_for(size * kWarp, kThreads), kThreads>>>(a, b, rows.data(), size,
                                                                 begin.data(), bits, key.data());
        SPTUNE_CUDA_LAUNCHED("expand");
        cub::DoubleBuffer<std::uint64_t> keys(key.data(), other.data());
        with_scratch([&](void* scratch, std::size_t& bytes) {
            return cub::DeviceRadixSort::SortKeys(
                scratch, bytes, keys, static_cast<std::int64_t>(total), 0,
                bits + std::bit_width(static_cast<std::uint64_t>(size)));
        });
        DeviceBuffer<count_t> distinct(1);
        distinct.fill_bytes(0);
        count_distinct<<<some_blocks(static_cast<std::int64_t>(total)), kThreads>>>(
            keys.Current(), static_cast<std::int64_t>(total), distinct.data());
        SPTUNE_CUDA_LAUNCHED("count_distinct");
        return {total, distinct.at(0)};
    }
}

}  // namespace
}  // namespace cuda

template <class T, class P>
ProductFeatures product_features_on_device(CsrView<T, P> a, CsrView<T, P> b,
                                           std::uint64_t fingerprint_a, std::uint64_t fingerprint_b,
                                           std::uint64_t sample_products) {
    ProductFeatures f;
    f.rows = a.rows, f.inner = a.cols, f.cols = b.cols;
    f.a_entries = static_cast<std::uint64_t>(a.nnz());
    f.b_entries = static_cast<std::uint64_t>(b.nnz());
    f.fingerprint = pair_fingerprint(fingerprint_a, fingerprint_b);
    if (a.rows == 0 || f.a_entries == 0 || f.b_entries == 0) return f;
    cuda::Totals totals{};
    const auto products = cuda::count_products_on_device(a, b, totals);
    const auto rows = static_cast<double>(a.rows);
    f.products = totals.products;
    f.longest_row = totals.longest;
    f.upper_entries = totals.upper;
    f.products_per_row = static_cast<double>(f.products) / rows;
    if (f.products == 0) return f;
    const double variance = totals.squares / rows - f.products_per_row * f.products_per_row;
    f.products_cv = std::sqrt(std::max(0.0, variance)) / f.products_per_row;

    const double share =
        std::min(1.0, static_cast<double>(sample_products) / static_cast<double>(f.products));
    const cuda::Estimate e =
        cuda::count_sampled(a, b, products, static_cast<std::int64_t>(share * rows));
    f.sampled_share = static_cast<double>(e.looked_at) / static_cast<double>(f.products);
    if (e.found > 0)
        f.compression = static_cast<double>(e.looked_at) / static_cast<double>(e.found);
    f.estimated_entries = std::min(static_cast<double>(f.products) / f.compression,
                                   static_cast<double>(f.upper_entries));
    return f;
}

#define SPTUNE_INSTANTIATE(T, P)                         \
    template ProductFeatures product_features_on_device( \
        CsrView<T, P>, CsrView<T, P>, std::uint64_t, std::uint64_t, std::uint64_t);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune
