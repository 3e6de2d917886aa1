// What each row of C will take: its products, the range of its columns, and so its class.
#include "kernels/spgemm/hash/plan.hpp"
#include "matrix/cuda/check.hpp"
#include "matrix/cuda/device.cuh"
#include "matrix/cuda/grid.hpp"

#include <algorithm>
#include <bit>

#include <cub/device/device_scan.cuh>

namespace sptune::cuda::hash {
namespace {

constexpr int kBlock = 256;
constexpr int kTurns = 16;      ///< entries that a thread looks at; a warp takes longer rows
constexpr int kLongRow = 2048;  ///< entries; longer rows take the whole block

/// What is gathered over the entries of a row.
struct Sum {
    unsigned long long products = 0;
    index_t low = INT_MAX, high = -1;

    __device__ void add(const Sum& other) {
        products += other.products;
        low = min(low, other.low);
        high = max(high, other.high);
    }
    __device__ Sum other_lane(int offset) const {
        Sum s;
        s.products = __shfl_xor_sync(kFullMask, products, offset);
        s.low = __shfl_xor_sync(kFullMask, low, offset);
        s.high = __shfl_xor_sync(kFullMask, high, offset);
        return s;
    }
};

/// 2^shift neighbouring threads gather item(k) over the entries k of a row and one of them calls
/// store(row, sum). All threads of the block take part.
template <class P, class Item, class Store>
__device__ void gather_rows(const P* row_ptr, index_t rows, int shift, Item item, Store store) {
    __shared__ index_t later[kBlock];  // rows too long for so few threads
    __shared__ int laters;
    __shared__ Sum part[kBlock / kWarp];
    if (threadIdx.x == 0) laters = 0;
    __syncthreads();
    const std::int64_t row = global_thread() >> shift;
    const int width = 1 << shift, lane = threadIdx.x & (width - 1);
    Sum sum;
    bool is_long = false;
    if (row < rows) {
        const P begin = row_ptr[row], end = row_ptr[row + 1];
        is_long = end - begin > kTurns * width;
        if (!is_long) {
#pragma unroll 4
            for (P k = begin + lane; k < end; k += width) sum.add(item(k));
        }
    }
    for (int offset = width / 2; offset > 0; offset /= 2) sum.add(sum.other_lane(offset));
    if (row < rows && lane == 0) {
        if (is_long)
            later[atomicAdd(&laters, 1)] = static_cast<index_t>(row);
        else
            store(static_cast<index_t>(row), sum);
    }
    __syncthreads();
    const int warp = threadIdx.x / kWarp, warp_lane = threadIdx.x % kWarp;
    for (int i = warp; i < laters; i += kBlock / kWarp) {
        const P begin = row_ptr[later[i]], end = row_ptr[later[i] + 1];
        if (end - begin > kLongRow) continue;
        Sum all;
#pragma unroll 4
        for (P k = begin + warp_lane; k < end; k += kWarp) all.add(item(k));
        for (int offset = kWarp / 2; offset > 0; offset /= 2) all.add(all.other_lane(offset));
        if (warp_lane == 0) store(later[i], all);
    }
    for (int i = 0; i < laters; ++i) {
        const P begin = row_ptr[later[i]], end = row_ptr[later[i] + 1];
        if (end - begin <= kLongRow) continue;  // the same for all threads
        Sum all;
#pragma unroll 4
        for (P k = begin + threadIdx.x; k < end; k += kBlock) all.add(item(k));
        for (int offset = kWarp / 2; offset > 0; offset /= 2) all.add(all.other_lane(offset));
        if (warp_lane == 0) part[warp] = all;
        __syncthreads();
        if (threadIdx.x == 0) {
            for (int w = 1; w < kBlock / kWarp; ++w) all.add(part[w]);
            store(later[i], all);
        }
        __syncthreads();
    }
}

template <class P>
__global__ void __launch_bounds__(kBlock)
    ranges_kernel(index_t rows, const P* row_ptr, const index_t* col, int shift, Range* range,
                  Counters* counters) {
    static_assert(sizeof(Counters) / 4 <= kBlock);
    if (blockIdx.x == 0 && threadIdx.x < sizeof(Counters) / 4)
        reinterpret_cast<unsigned*>(counters)[threadIdx.x] = 0;  // used by later kernels alone
    gather_rows(
        row_ptr, rows, shift,
        [&](P k) {
            Sum s;
            s.low = s.high = col[k];
            return s;
        },
        [&](index_t row, const Sum& s) {
            range[row] = {s.low, s.high};
        });
}

/// -1 for a row without products.
__device__ int class_of(const Limits& limits, const Sum& sum, std::int64_t a_length) {
    const unsigned long long n = sum.products;
    if (n == 0) return -1;
    for (int c = kTiny8; c <= kTiny64; ++c) {
        const int most = 8 << c;
        if (n <= limits.products[c] && a_length <= min(most, kWarp) &&
            limits.columns <= (1ll << 32) / most - 1)
            return c;
    }
    const std::int64_t width = std::int64_t{sum.high} - sum.low + 1;
    for (int c = kWarpRow; c < kBigRow; ++c)
        if (n <= limits.products[c] && (width <= limits.bitmap[c] || n <= limits.table[c]))
            return c;
    return kBigRow;
}

template <class P>
__global__ void __launch_bounds__(kBlock)
    classes_kernel(index_t rows, const P* a_ptr, const index_t* a_col, const P* b_ptr,
                   const Range* b_range, int shift, Limits limits, RowWork work, P* lengths) {
    __shared__ unsigned count[kClasses], base[kClasses];
    __shared__ unsigned short place[kBlock];
    __shared__ signed char chosen[kBlock];
    const std::int64_t first = (std::int64_t{blockIdx.x} * kBlock) >> shift;
    if (threadIdx.x < kClasses) count[threadIdx.x] = 0;
    chosen[threadIdx.x] = -1;
    gather_rows(  // begins with a barrier
        a_ptr, rows, shift,
        [&](P k) {
            const index_t j = a_col[k];
            const Range r = b_range[j];
            Sum s;
            s.products = static_cast<unsigned long long>(b_ptr[j + 1] - b_ptr[j]);
            s.low = r.low;
            s.high = r.high;
            return s;
        },
        [&](index_t row, const Sum& s) {
            work.range[row] = {s.low, s.high};
            work.products[row] = static_cast<std::uint32_t>(min(s.products, 0xffffffffull));
            const int c = class_of(limits, s, a_ptr[row + 1] - a_ptr[row]);
            if (c < 0) {
                lengths[row] = 0;
                return;
            }
            const int here = static_cast<int>(row - first);
            chosen[here] = static_cast<signed char>(c);
            place[here] = static_cast<unsigned short>(atomicAdd(&count[c], 1u));
        });
    __syncthreads();
    if (threadIdx.x < kClasses && count[threadIdx.x])
        base[threadIdx.x] = atomicAdd(&work.counters->listed[threadIdx.x], count[threadIdx.x]);
    __syncthreads();
    const int c = chosen[threadIdx.x];
    if (c >= 0)
        work.listed[std::int64_t{c} * rows + base[c] + place[threadIdx.x]] =
            static_cast<index_t>(first + threadIdx.x);
}

/// Threads for a row of average length, as a power of two.
int shift_for(std::int64_t entries, index_t rows) {
    const auto mean = static_cast<std::uint64_t>(entries / std::max<index_t>(rows, 1));
    return std::clamp(static_cast<int>(std::bit_width(mean)) - 1, 0, 5);
}

unsigned blocks(index_t rows, int shift) {
    return blocks_for(std::int64_t{rows} << shift, kBlock);
}

}  // namespace

template <class P>
void analyse_rows(index_t rows, const P* a_ptr, const index_t* a_col, std::int64_t a_entries,
                  index_t b_rows, const P* b_ptr, const index_t* b_col, std::int64_t b_entries,
                  Range* b_range, const Limits& limits, const RowWork& work, P* lengths,
                  void* stream) {
    const auto s = static_cast<cudaStream_t>(stream);
    int shift = shift_for(b_entries, b_rows);
    ranges_kernel<<<blocks(b_rows, shift), kBlock, 0, s>>>(b_rows, b_ptr, b_col, shift, b_range,
                                                           work.counters);
    SPTUNE_CUDA_LAUNCHED("ranges_kernel");
    shift = shift_for(a_entries, rows);
    classes_kernel<<<blocks(rows, shift), kBlock, 0, s>>>(rows, a_ptr, a_col, b_ptr, b_range, shift,
                                                          limits, work, lengths);
    SPTUNE_CUDA_LAUNCHED("classes_kernel");
}

template <class P>
std::size_t scan_bytes(index_t rows) {
    std::size_t bytes = 0;
    SPTUNE_CUDA(cub::DeviceScan::ExclusiveSum(nullptr, bytes, static_cast<P*>(nullptr),
                                              static_cast<P*>(nullptr), std::int64_t{rows} + 1));
    return bytes;
}

template <class P>
void scan_lengths(P* lengths, index_t rows, void* scratch, std::size_t bytes, void* stream) {
    SPTUNE_CUDA(cub::DeviceScan::ExclusiveSum(scratch, bytes, lengths, lengths,
                                              std::int64_t{rows} + 1,
                                              static_cast<cudaStream_t>(stream)));
}

#define SPTUNE_INSTANTIATE(P)                                                                      \
    template void analyse_rows(index_t, const P*, const index_t*, std::int64_t, index_t, const P*, \
                               const index_t*, std::int64_t, Range*, const Limits&,                \
                               const RowWork&, P*, void*);                                         \
    template std::size_t scan_bytes<P>(index_t);                                                   \
    template void scan_lengths(P*, index_t, void*, std::size_t, void*);
SPTUNE_INSTANTIATE(std::int32_t)
SPTUNE_INSTANTIATE(std::int64_t)

}  // namespace sptune::cuda::hash
