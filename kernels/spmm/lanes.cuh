// What a lane has of several vectors: some that lie side by side, or some that lie anywhere.
#pragma once

#include "kernels/cuda/device.cuh"
#include "kernels/spmm/vectors.hpp"
#include "matrix/csr.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <cuda/std/bit>

namespace sptune::cuda {

/// Entries of `W` vectors that lie side by side, fetched at once.
template <class T, int W>
struct alignas(W * sizeof(T)) SideBySide {
    static constexpr int kVectors = W;
    T of[W];

    /// Of what nobody writes while the kernel runs.
    static __device__ __forceinline__ SideBySide load(const T* from) {
        using Word = std::conditional_t<sizeof(SideBySide) == 16, int4,
                                        std::conditional_t<sizeof(SideBySide) == 8, int2, int>>;
        return ::cuda::std::bit_cast<SideBySide>(__ldg(reinterpret_cast<const Word*>(from)));
    }
    struct Reader {
        const T* x;
        std::ptrdiff_t step;
        __device__ SideBySide at(std::ptrdiff_t row) const {
            return *reinterpret_cast<const SideBySide*>(x + row);
        }
    };
    __device__ void store(const Epilogue<T>& out, T* y, std::ptrdiff_t) const {
        auto& to = *reinterpret_cast<SideBySide*>(y);
        SideBySide result{};
        if (out.beta != T{0}) result = to;
#pragma unroll
        for (int v = 0; v < W; ++v) out.store(of[v], result.of + v);
        to = result;
    }
};

/// Entries of `V` vectors that lie anywhere.
template <class T, int V>
struct Apart {
    static constexpr int kVectors = V;
    T of[V];

    struct Reader {
        const T* x;
        std::ptrdiff_t step;
        __device__ Apart at(std::ptrdiff_t row) const {
            Apart a;
#pragma unroll
            for (int v = 0; v < V; ++v) a.of[v] = x[row + v * step];
            return a;
        }
    };
    __device__ void store(const Epilogue<T>& out, T* y, std::ptrdiff_t step) const {
#pragma unroll
        for (int v = 0; v < V; ++v) out.store(of[v], y + v * step);
    }
};

/// What a lane has of the vectors of a pass: `Lanes` lanes have Held::kVectors each, of which
/// `count` is a multiple. Those without any do what the first one does, and store nothing.
template <class T, class Held, int Lanes>
struct Own {
    std::int64_t vector;
    bool has_any;
    Vectors<T> y;
    typename Held::Reader x;
    std::ptrdiff_t row_step;

    __device__ Own(const Vectors<const T>& from, const Vectors<T>& to, std::int64_t count)
        : Own(from, to, count,
              (std::int64_t{blockIdx.y} * Lanes + threadIdx.x % Lanes) * Held::kVectors) {}

    /// Adds entries begin, begin + step ... to `sum`.
    template <class P>
    __device__ __forceinline__ void add(const CsrView<T, P>& a, std::int64_t begin,
                                        std::int64_t end, int step, Held& sum) const {
#pragma unroll 4
        for (std::int64_t k = begin; k < end; k += step) {
            const T value = a.values[k];
            const Held fetched = x.at(std::ptrdiff_t{a.col_idx[k]} * row_step);
#pragma unroll
            for (int v = 0; v < Held::kVectors; ++v) sum.of[v] += value * fetched.of[v];
        }
    }
    __device__ T* place(std::int64_t row) const {
        return y.data + row * y.row_step + vector * y.vector_step;
    }
    __device__ void store(const Held& sum, const Epilogue<T>& out, std::int64_t row) const {
        if (has_any) sum.store(out, place(row), y.vector_step);
    }
    __device__ void add_to(const Held& sum, T alpha, std::int64_t row) const {
        if (!has_any) return;
#pragma unroll
        for (int v = 0; v < Held::kVectors; ++v)
            atomicAdd(place(row) + v * y.vector_step, alpha * sum.of[v]);
    }

  private:
    __device__ Own(const Vectors<const T>& from, const Vectors<T>& to, std::int64_t count,
                   std::int64_t first)
        : vector(first < count ? first : 0),
          has_any(first < count),
          y(to),
          x{from.data + vector * from.vector_step, from.vector_step},
          row_step(from.row_step) {}
};

/// Sum over lanes that are `Apart` from each other, of a group of `Group` lanes.
template <int Apart, int Group, class Held>
__device__ __forceinline__ void sum_over_lanes(Held& sum) {
#pragma unroll
    for (int offset = Group / 2; offset >= Apart; offset /= 2)
#pragma unroll
        for (int v = 0; v < Held::kVectors; ++v)
            sum.of[v] += __shfl_xor_sync(kFullMask, sum.of[v], offset);
}

}  // namespace sptune::cuda
