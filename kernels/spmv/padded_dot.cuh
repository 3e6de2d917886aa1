// A row of a padded column-major format times x.
#pragma once

#include "kernels/cuda/matrix_load.cuh"

namespace sptune::cuda {

/// Σ over j = part, part + Threads, … < width of values[place(j)] · x[column[place(j)]]. Four
/// columns and values are on their way before the first entry of x is asked for.
template <int Threads, class T, class C, class Place>
__device__ __forceinline__ T padded_dot(MatrixLoad load, const T* __restrict__ values,
                                        const C* __restrict__ column, index_t part, index_t width,
                                        const T* __restrict__ x, Place place) {
    constexpr int kUnroll = 4;
    T sum{0};
    T value[kUnroll];
    index_t c[kUnroll];
    index_t j = part;
    for (; j + (kUnroll - 1) * Threads < width; j += kUnroll * Threads) {
#pragma unroll
        for (int u = 0; u < kUnroll; ++u) {
            const std::int64_t at = place(j + u * Threads);
            c[u] = static_cast<index_t>(load(column + at));
            value[u] = load(values + at);
        }
#pragma unroll
        for (int u = 0; u < kUnroll; ++u) sum += value[u] * gather(x, c[u]);
    }
    if (j >= width) return sum;
#pragma unroll
    for (int u = 0; u + 1 < kUnroll; ++u) {
        value[u] = T{0}, c[u] = 0;
        if (j + u * Threads >= width) continue;
        const std::int64_t at = place(j + u * Threads);
        c[u] = static_cast<index_t>(load(column + at));
        value[u] = load(values + at);
    }
#pragma unroll
    for (int u = 0; u + 1 < kUnroll; ++u)
        if (j + u * Threads < width) sum += value[u] * gather(x, c[u]);
    return sum;
}

/// How a block shares rows out: neighbouring threads take neighbouring rows, so that loads are
/// coalesced, and `Threads` groups of them every Threads-th entry.
template <int Threads>
struct RowShare {
    int rows;   ///< of the block
    int place;  ///< row of this thread in the block
    int part;   ///< which entries of the row

    __device__ RowShare() {
        rows = static_cast<int>(blockDim.x) / Threads;  // a power of two
        place = static_cast<int>(threadIdx.x) & (rows - 1);
        part = Threads == 1 ? 0 : static_cast<int>(threadIdx.x) / rows;
    }
    __device__ std::int64_t row() const {
        return static_cast<std::int64_t>(blockIdx.x) * rows + place;
    }
    /// Sum over the threads of a row, valid in part 0. `scratch` holds a number for each thread.
    /// All threads of the block take part.
    template <class T>
    __device__ T sum(T v, T* scratch) const {
        if constexpr (Threads > 1) {
            scratch[threadIdx.x] = v;
            __syncthreads();
            if (part == 0) {
#pragma unroll
                for (int p = 1; p < Threads; ++p) v += scratch[p * rows + place];
            }
        }
        return v;
    }
};

/// Rows that a block must have at a time, so that its loads fill 32-byte sectors.
inline constexpr int kLeastRows = 8;

}  // namespace sptune::cuda
