#include "bench/random_blocks.hpp"
#include "kernels/cuda/primitives.hpp"
#include "matrix/cuda/device.cuh"
#include "matrix/cuda/grid.hpp"

#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

namespace sptune::bench {
namespace {

using cuda::blocks_for;
using cuda::global_thread;

constexpr int kThreads = 256;

/// Finaliser of splitmix64 over a counter.
__device__ std::uint64_t bits_at(std::uint64_t seed, std::uint64_t n) {
    std::uint64_t x = seed * 0x9e3779b97f4a7c15u + n * 0xd1342543de82ef95u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

__global__ void choose(std::uint64_t seed, std::int64_t size, std::uint64_t below,
                       std::uint8_t* flag) {
    const std::int64_t n = global_thread();
    if (n < size) flag[n] = bits_at(seed, static_cast<std::uint64_t>(n)) < below;
}

__global__ void place(const std::int64_t* position, std::int64_t size, index_t width, index_t* col,
                      unsigned long long* count) {
    const std::int64_t k = global_thread();
    if (k >= size) return;
    col[k] = static_cast<index_t>(position[k] % width);
    atomicAdd(count + position[k] / width, 1ull);
}

template <class V>
__global__ void fill(std::uint64_t seed, std::int64_t size, V* values) {
    const std::int64_t n = global_thread();
    if (n >= size) return;
    const std::uint64_t bits = bits_at(seed + 1, static_cast<std::uint64_t>(n));
    if constexpr (std::is_same_v<V, std::uint32_t>)
        values[n] = static_cast<V>(bits >> 48);
    else
        values[n] = static_cast<V>(static_cast<double>(bits >> 11) * 0x1p-52 - 1);
}

template <class V>
__global__ void differ(const V* x, const V* y, std::int64_t size, double scale,
                       unsigned long long* largest) {
    const std::int64_t n = global_thread();
    if (n >= size) return;
    const double difference = fabs(static_cast<double>(x[n]) - static_cast<double>(y[n])) /
                              (fabs(static_cast<double>(y[n])) + scale);
    // Doubles that are not negative are ordered as their bits are; a NaN comes out on top.
    atomicMax(largest, static_cast<unsigned long long>(__double_as_longlong(difference)));
}

}  // namespace

template <class V>
cuda::BlockMatrix<V> random_blocks(index_t n, int m, double share, std::uint64_t seed) {
    cuda::BlockMatrix<V> a;
    a.m = m;
    a.rows = a.cols = n;
    const index_t width = a.block_cols();
    const std::int64_t places = std::int64_t{width} * width;
    DeviceBuffer<std::uint8_t> flags(static_cast<std::size_t>(places));
    choose<<<blocks_for(places, kThreads), kThreads>>>(
        seed, places, static_cast<std::uint64_t>(std::ldexp(share, 64)), flags.data());
    SPTUNE_CUDA_LAUNCHED("choose");
    const DeviceBuffer<std::int64_t> position = cuda::positions_of(flags.data(), places);
    const auto blocks = static_cast<std::int64_t>(position.size());
    a.row_ptr = DeviceBuffer<std::int64_t>(static_cast<std::size_t>(width) + 1);
    a.row_ptr.fill_bytes(0);
    a.col = DeviceBuffer<index_t>(position.size());
    a.values = DeviceBuffer<V>(position.size() * static_cast<std::size_t>(m * m));
    if (blocks == 0) return a;
    place<<<blocks_for(blocks, kThreads), kThreads>>>(
        position.data(), blocks, width, a.col.data(),
        reinterpret_cast<unsigned long long*>(a.row_ptr.data()));
    SPTUNE_CUDA_LAUNCHED("place");
    cuda::counts_to_pointers(a.row_ptr);
    const auto size = static_cast<std::int64_t>(a.values.size());
    fill<<<blocks_for(size, kThreads), kThreads>>>(seed, size, a.values.data());
    SPTUNE_CUDA_LAUNCHED("fill");
    return a;
}

template <class V>
double multiply_adds(const cuda::BlockMatrix<V>& a, const cuda::BlockMatrix<V>& b) {
    const Buffer<index_t> col = a.col.to_host();
    const Buffer<std::int64_t> row_ptr = b.row_ptr.to_host();
    std::vector<std::int64_t> in_column(static_cast<std::size_t>(a.block_cols()));
    for (const index_t j : col) ++in_column[static_cast<std::size_t>(j)];
    double pairs = 0;
    for (std::size_t k = 0; k < in_column.size(); ++k)
        pairs +=
            static_cast<double>(in_column[k]) * static_cast<double>(row_ptr[k + 1] - row_ptr[k]);
    return pairs * a.m * a.m * a.m;
}

template <class V>
cuda::BlockMatrix<V> block_row_of(const cuda::BlockMatrix<V>& a, index_t row) {
    const std::int64_t begin = a.row_ptr.at(static_cast<std::size_t>(row));
    const std::int64_t blocks = a.row_ptr.at(static_cast<std::size_t>(row) + 1) - begin;
    const std::int64_t ends[] = {0, blocks};
    cuda::BlockMatrix<V> part;
    part.m = part.rows = a.m;
    part.cols = a.cols;
    part.row_ptr = DeviceBuffer<std::int64_t>(ends, 2);
    part.col = DeviceBuffer<index_t>(static_cast<std::size_t>(blocks));
    part.values = DeviceBuffer<V>(static_cast<std::size_t>(blocks * a.m * a.m));
    if (blocks == 0) return part;
    SPTUNE_CUDA(cudaMemcpy(part.col.data(), a.col.data() + begin, part.col.bytes(),
                           cudaMemcpyDeviceToDevice));
    SPTUNE_CUDA(cudaMemcpy(part.values.data(), a.values.data() + begin * a.m * a.m,
                           part.values.bytes(), cudaMemcpyDeviceToDevice));
    return part;
}

template <class V>
double largest_difference(const V* x, const V* y, std::int64_t size, double scale) {
    DeviceBuffer<unsigned long long> largest(1);
    largest.fill_bytes(0);
    differ<<<blocks_for(size, kThreads), kThreads>>>(x, y, size, scale, largest.data());
    SPTUNE_CUDA_LAUNCHED("differ");
    const unsigned long long bits = largest.at(0);
    double result;
    std::memcpy(&result, &bits, sizeof result);
    return result;
}

#define SPTUNE_INSTANTIATE(V)                                                                \
    template cuda::BlockMatrix<V> random_blocks(index_t, int, double, std::uint64_t);        \
    template double multiply_adds(const cuda::BlockMatrix<V>&, const cuda::BlockMatrix<V>&); \
    template cuda::BlockMatrix<V> block_row_of(const cuda::BlockMatrix<V>&, index_t);        \
    template double largest_difference(const V*, const V*, std::int64_t, double);
SPTUNE_INSTANTIATE(float)
SPTUNE_INSTANTIATE(double)
SPTUNE_INSTANTIATE(std::uint32_t)

}  // namespace sptune::bench
