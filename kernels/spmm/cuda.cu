// Several lanes of a warp have a row: neighbouring ones have neighbouring vectors, as many as one
// load brings, so that what they fetch of x for an entry of A lies together (as in GE-SpMM: Huang,
// Dai, Wang and Yang, SC 2020); where that leaves lanes, they have other entries. Long rows are the
// work of a whole block.
#include "kernels/cuda/device.cuh"
#include "kernels/spmm/cuda.hpp"
#include "matrix/cuda/check.hpp"
#include "matrix/cuda/grid.hpp"

#include <algorithm>
#include <cstdint>

namespace sptune::cuda {
namespace {

constexpr int kBlock = 256;
/// Entries of a row that all of a block share.
constexpr int kLong = 1024;

/// Entries of `W` vectors that lie side by side, fetched at once.
template <class T, int W>
struct alignas(W * sizeof(T)) SideBySide {
    static constexpr int kVectors = W;
    T of[W];

    static __device__ SideBySide load(const T* x, std::ptrdiff_t) {
        return *reinterpret_cast<const SideBySide*>(x);
    }
    __device__ void store(const Epilogue<T>& out, T* y, std::ptrdiff_t, std::int64_t) const {
        auto& to = *reinterpret_cast<SideBySide*>(y);
        SideBySide result{};
        if (out.beta != T{0}) result = to;
#pragma unroll
        for (int v = 0; v < W; ++v) out.store(of[v], result.of + v);
        to = result;
    }
};

/// Entries of `V` vectors that lie anywhere. Where there are fewer, the first stands in.
template <class T, int V>
struct Apart {
    static constexpr int kVectors = V;
    T of[V];

    static __device__ Apart load(const T* x, std::ptrdiff_t step) {
        Apart a;
#pragma unroll
        for (int v = 0; v < V; ++v) a.of[v] = x[v * step];
        return a;
    }
    __device__ void store(const Epilogue<T>& out, T* y, std::ptrdiff_t step,
                          std::int64_t count) const {
#pragma unroll
        for (int v = 0; v < V; ++v)
            if (v < count) out.store(of[v], y + v * step);
    }
};

/// Adds entries begin, begin + step ... to `sum`.
template <class Held, class T, class P>
__device__ __forceinline__ void add_entries(const CsrView<T, P>& a, std::int64_t begin,
                                            std::int64_t end, int step, const T* x,
                                            std::ptrdiff_t row_step, std::ptrdiff_t vector_step,
                                            Held& sum) {
#pragma unroll 4
    for (std::int64_t k = begin; k < end; k += step) {
        const T value = a.values[k];
        const Held fetched = Held::load(x + std::ptrdiff_t{a.col_idx[k]} * row_step, vector_step);
#pragma unroll
        for (int v = 0; v < Held::kVectors; ++v) sum.of[v] += value * fetched.of[v];
    }
}

/// Sum over lanes that are `Apart` from each other, of a group of `Group` lanes.
template <int Apart, int Group, class Held>
__device__ __forceinline__ void sum_over_lanes(Held& sum) {
#pragma unroll
    for (int offset = Group / 2; offset >= Apart; offset /= 2)
#pragma unroll
        for (int v = 0; v < Held::kVectors; ++v)
            sum.of[v] += __shfl_xor_sync(kFullMask, sum.of[v], offset);
}

/// `Group` lanes have a row, `Lanes` of them its next entry.
template <class T, class P, class Held, int Lanes, int Group>
__global__ __launch_bounds__(kBlock) void many_kernel(CsrView<T, P> a, Epilogue<T> out,
                                                      Vectors<const T> x, Vectors<T> y,
                                                      std::int64_t count) {
    constexpr int kRows = kBlock / Group, kEntries = Group / Lanes, kAll = kBlock / Lanes;
    __shared__ Held part[kBlock / kWarp * Lanes];
    const int thread = static_cast<int>(threadIdx.x);
    // Lanes without a vector do what the first one does, and store nothing.
    const std::int64_t own = (std::int64_t{blockIdx.y} * Lanes + thread % Lanes) * Held::kVectors;
    const std::int64_t vector = own < count ? own : 0, left = own < count ? count - own : 0;
    const T* const from = x.data + vector * x.vector_step;
    // As if all were the same vector where there are fewer than loads bring.
    const std::ptrdiff_t apart = left < Held::kVectors ? 0 : x.vector_step;
    const auto store = [&](const Held& sum, std::int64_t i) {
        if (left > 0)
            sum.store(out, y.data + i * y.row_step + vector * y.vector_step, y.vector_step, left);
    };
    const std::int64_t first = std::int64_t{blockIdx.x} * kRows, i = first + thread / Group;
    std::int64_t begin = 0, end = 0;
    if (i < a.rows) begin = a.row_ptr[i], end = a.row_ptr[i + 1];
    const bool is_long = end - begin > kLong;
    Held sum{};
    if (!is_long)
        add_entries(a, begin + thread % Group / Lanes, end, kEntries, from, x.row_step, apart, sum);
    sum_over_lanes<Lanes, Group>(sum);
    if (i < a.rows && !is_long && thread % Group < Lanes) store(sum, i);
    if (!__syncthreads_or(is_long)) return;
    for (std::int64_t row = first; row < min(first + kRows, std::int64_t{a.rows}); ++row) {
        begin = a.row_ptr[row], end = a.row_ptr[row + 1];
        if (end - begin <= kLong) continue;
        sum = {};
        add_entries(a, begin + thread / Lanes, end, kAll, from, x.row_step, apart, sum);
        sum_over_lanes<Lanes, kWarp>(sum);
        if (thread % kWarp < Lanes) part[thread / kWarp * Lanes + thread % kWarp] = sum;
        __syncthreads();
        if (thread < Lanes) {
            for (int w = 1; w < kBlock / kWarp; ++w)
#pragma unroll
                for (int v = 0; v < Held::kVectors; ++v)
                    sum.of[v] += part[w * Lanes + thread].of[v];
            store(sum, row);
        }
        __syncthreads();
    }
}

/// As many vectors as there are, in steps of what the kernels take.
template <class T, class P>
struct Many {
    CsrView<T, P> a;
    Epilogue<T> out;
    Vectors<const T> x;
    Vectors<T> y;
    std::size_t count;
    cudaStream_t stream;

    template <class Held, int Lanes, int Group>
    void launch() const {
        constexpr std::size_t kMostPasses = 65535, kOfPass = Lanes * Held::kVectors;
        for (std::size_t done = 0; done < count; done += kMostPasses * kOfPass) {
            const std::size_t now = std::min(count - done, kMostPasses * kOfPass);
            const dim3 blocks(blocks_for(a.rows, kBlock / Group),
                              static_cast<unsigned>((now + kOfPass - 1) / kOfPass));
            many_kernel<T, P, Held, Lanes, Group><<<blocks, kBlock, 0, stream>>>(
                a, out, x.from(done), y.from(done), static_cast<std::int64_t>(now));
            SPTUNE_CUDA_LAUNCHED("several vectors");
        }
    }
    double mean() const { return static_cast<double>(a.nnz()) / a.rows; }

    /// Lanes have some eight entries each.
    template <class Held, int Lanes>
    void launch() const {
        const double wanted = Lanes * mean() / 8;
        if constexpr (Lanes <= 8)
            if (wanted < 16) return launch<Held, Lanes, 8>();
        if constexpr (Lanes <= 16)
            if (wanted < 32) return launch<Held, Lanes, 16>();
        launch<Held, Lanes, 32>();
    }

    template <int W>
    bool fits() const {
        const auto aligned = [](const void* p) {
            return reinterpret_cast<std::uintptr_t>(p) % (W * sizeof(T)) == 0;
        };
        return count % W == 0 && x.row_step % W == 0 && y.row_step % W == 0 && aligned(x.data) &&
               aligned(y.data);
    }

    template <int W>
    void rows() const {
        if constexpr (W > 1)
            if (!fits<W>()) return rows<W / 2>();
        using Held = SideBySide<T, W>;
        const std::size_t lanes = count / W;
        if (lanes <= 1) return launch<Held, 1>();
        if (lanes <= 2) return launch<Held, 2>();
        if (lanes <= 4) return launch<Held, 4>();
        if (lanes <= 8) return launch<Held, 8>();
        if (lanes <= 16) return launch<Held, 16>();
        launch<Held, 32>();
    }

    void anywhere() const {
        if (count <= 2) return launch<Apart<T, 2>, 1>();
        if (count <= 4) return launch<Apart<T, 4>, 1>();
        launch<Apart<T, 8>, 1>();
    }
};

}  // namespace

template <class T, class P>
void multiply_many(CsrView<T, P> a, T alpha, Vectors<const T> x, T beta, Vectors<T> y,
                   std::size_t count, void* stream) {
    if (a.rows == 0 || count == 0) return;
    const Many<T, P> many{a,     Epilogue<T>{alpha, beta},         x, y,
                          count, static_cast<cudaStream_t>(stream)};
    constexpr int kWidest = 16 / sizeof(T);
    if (x.by_rows() && y.by_rows())
        many.template rows<kWidest>();
    else
        many.anywhere();
}

#define SPTUNE_INSTANTIATE(P)                                                                     \
    template void multiply_many(CsrView<SPTUNE_VALUE, P>, SPTUNE_VALUE,                           \
                                Vectors<const SPTUNE_VALUE>, SPTUNE_VALUE, Vectors<SPTUNE_VALUE>, \
                                std::size_t, void*);
SPTUNE_INSTANTIATE(std::int32_t)
SPTUNE_INSTANTIATE(std::int64_t)

}  // namespace sptune::cuda
