// Copies between vectors that lie one after another and packs of them that lie row by row.
#pragma once

#include "kernels/cuda/device.cuh"
#include "kernels/spmm/vectors.hpp"

#include <cstdint>

namespace sptune::cuda {

inline constexpr int kCopyThreads = 256;
/// Of a block, for each of the vectors of a pack.
inline constexpr int kCopyRows = 64;

/// Rows of a pack, on their way from one order to the other.
template <class T, int Pack>
struct Tile {
    // So that in neither order lanes wait for the same bank.
    static constexpr int kPad = Pack * sizeof(T) < 128 ? 128 / (Pack * sizeof(T)) : 1;
    T of[Pack][kCopyRows + kPad];
};

/// pack[i * Pack + j] = entry i of vector j, 0 from `count` on.
template <class T, int Pack>
__global__ __launch_bounds__(kCopyThreads) void pack_kernel(Vectors<const T> x, std::int64_t rows,
                                                            int count, T* pack) {
    __shared__ Tile<T, Pack> tile;
    const std::int64_t first = std::int64_t{blockIdx.x} * kCopyRows;
    wait_for_previous();
    for (int n = static_cast<int>(threadIdx.x); n < Pack * kCopyRows; n += kCopyThreads) {
        const int j = n / kCopyRows, r = n % kCopyRows;
        const bool is_there = j < count && first + r < rows;
        tile.of[j][r] = is_there ? x.data[first + r + j * x.vector_step] : T{0};
    }
    __syncthreads();
    for (int n = static_cast<int>(threadIdx.x); n < Pack * kCopyRows; n += kCopyThreads)
        if (first + n / Pack < rows) pack[first * Pack + n] = tile.of[n % Pack][n / Pack];
}

/// y = αs + βy, where s is a pack of sums.
template <class T, int Pack>
__global__ __launch_bounds__(kCopyThreads) void unpack_kernel(const T* pack, std::int64_t rows,
                                                              int count, Epilogue<T> out,
                                                              Vectors<T> y) {
    __shared__ Tile<T, Pack> tile;
    const std::int64_t first = std::int64_t{blockIdx.x} * kCopyRows;
    wait_for_previous();
    for (int n = static_cast<int>(threadIdx.x); n < Pack * kCopyRows; n += kCopyThreads)
        if (first + n / Pack < rows) tile.of[n % Pack][n / Pack] = pack[first * Pack + n];
    __syncthreads();
    for (int n = static_cast<int>(threadIdx.x); n < Pack * kCopyRows; n += kCopyThreads) {
        const int j = n / kCopyRows, r = n % kCopyRows;
        if (j < count && first + r < rows)
            out.store(tile.of[j][r], y.data + first + r + j * y.vector_step);
    }
}

}  // namespace sptune::cuda
