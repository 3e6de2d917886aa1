// Neighbouring lanes have neighbouring vectors: what they fetch of x for an entry of A lies
// together. Whole rows, as in GE-SpMM (Huang, Dai, Wang and Yang, SC 2020), shared out to blocks by
// rows and entries; long ones are the work of a whole block.
#include "kernels/cuda/device.cuh"
#include "kernels/spmm/cuda.hpp"
#include "matrix/cuda/check.hpp"
#include "matrix/cuda/grid.hpp"
#include "matrix/partition_point.hpp"

#include <algorithm>
#include <cstdint>

namespace sptune::cuda {
namespace {

constexpr int kBlock = 256;
/// Entries of a row that several groups share.
constexpr int kLong = 512;

/// Adds entries begin, begin + step ... to the sums of V vectors.
template <int V, class T, class P>
__device__ __forceinline__ void add_entries(const CsrView<T, P>& a, std::int64_t begin,
                                            std::int64_t end, int step, const T* const (&x)[V],
                                            std::ptrdiff_t row_step, T (&sum)[V]) {
#pragma unroll 4
    for (std::int64_t k = begin; k < end; k += step) {
        const T value = a.values[k];
        const std::ptrdiff_t row = std::ptrdiff_t{a.col_idx[k]} * row_step;
#pragma unroll
        for (int v = 0; v < V; ++v) sum[v] += value * x[v][row];
    }
}

/// Blocks have about `steps` rows and entries each; of the vectors, L lanes have V each.
template <class T, class P, int L, int V>
__global__ __launch_bounds__(kBlock) void many_kernel(CsrView<T, P> a, Epilogue<T> out,
                                                      Vectors<const T> x, Vectors<T> y,
                                                      std::int64_t count, std::int64_t steps) {
    constexpr int kGroups = kBlock / L;
    __shared__ index_t bounds[2];
    __shared__ T part[kGroups * V * L];
    if (threadIdx.x < 2) {
        const std::int64_t at = (std::int64_t{blockIdx.x} + threadIdx.x) * steps;
        bounds[threadIdx.x] = partition_point(index_t{0}, a.rows, [&](index_t r) {
            return static_cast<std::int64_t>(a.row_ptr[r + 1]) + r < at;
        });
    }
    __syncthreads();
    const index_t first = bounds[0], last = bounds[1];
    const int group = static_cast<int>(threadIdx.x) / L, lane = static_cast<int>(threadIdx.x) % L;
    const std::int64_t vector = std::int64_t{blockIdx.y} * (L * V) + lane;
    const T* from[V];
#pragma unroll
    for (int v = 0; v < V; ++v)  // lanes without a vector follow the last one
        from[v] = x.data + min(vector + v * L, count - 1) * x.vector_step;
    const auto store = [&](index_t i, const T(&sum)[V]) {
#pragma unroll
        for (int v = 0; v < V; ++v)
            if (vector + v * L < count)
                out.store(sum[v], y.data + i * y.row_step + (vector + v * L) * y.vector_step);
    };
    bool some_are_long = false;
    for (index_t i = first + group; i < last; i += kGroups) {
        const std::int64_t begin = a.row_ptr[i], end = a.row_ptr[i + 1];
        if (end - begin > kLong) {
            some_are_long = true;
            continue;
        }
        T sum[V] = {};
        add_entries<V>(a, begin, end, 1, from, x.row_step, sum);
        store(i, sum);
    }
    if (!__syncthreads_or(some_are_long)) return;
    for (index_t i = first; i < last; ++i) {
        const std::int64_t begin = a.row_ptr[i], end = a.row_ptr[i + 1];
        if (end - begin <= kLong) continue;
        T sum[V] = {};
        add_entries<V>(a, begin + group, end, kGroups, from, x.row_step, sum);
#pragma unroll
        for (int v = 0; v < V; ++v) part[(group * V + v) * L + lane] = sum[v];
        __syncthreads();
        if (group == 0) {
            for (int g = 1; g < kGroups; ++g)
#pragma unroll
                for (int v = 0; v < V; ++v) sum[v] += part[(g * V + v) * L + lane];
            store(i, sum);
        }
        __syncthreads();
    }
}

template <class T, class P, int L, int V>
void launch(CsrView<T, P> a, Epilogue<T> out, Vectors<const T> x, Vectors<T> y, std::size_t count,
            cudaStream_t stream) {
    constexpr std::int64_t kLeast = 128, kMost = 2048, kBlocksEach = 16;
    const std::int64_t work = std::int64_t{a.rows} + static_cast<std::int64_t>(a.nnz());
    const std::int64_t steps = std::clamp(work / (kBlocksEach * multiprocessors()), kLeast, kMost);
    constexpr std::size_t kMostPasses = 65535, kOfPass = L * V;
    for (std::size_t done = 0; done < count;) {
        const std::size_t passes = std::min((count - done + kOfPass - 1) / kOfPass, kMostPasses);
        const std::size_t now = std::min(passes * kOfPass, count - done);
        const dim3 blocks(blocks_for(work, static_cast<int>(steps)), static_cast<unsigned>(passes));
        many_kernel<T, P, L, V><<<blocks, kBlock, 0, stream>>>(
            a, out, x.from(done), y.from(done), static_cast<std::int64_t>(now), steps);
        SPTUNE_CUDA_LAUNCHED("several vectors");
        done += now;
    }
}

}  // namespace

template <class T, class P>
void multiply_many(CsrView<T, P> a, T alpha, Vectors<const T> x, T beta, Vectors<T> y,
                   std::size_t count, void* stream) {
    if (a.rows == 0 || count == 0) return;
    const auto s = static_cast<cudaStream_t>(stream);
    const Epilogue<T> out{alpha, beta};
    if (count <= 2) return launch<T, P, 2, 1>(a, out, x, y, count, s);
    if (count <= 4) return launch<T, P, 4, 1>(a, out, x, y, count, s);
    if (count <= 8) return launch<T, P, 8, 1>(a, out, x, y, count, s);
    if (count <= 16) return launch<T, P, 16, 1>(a, out, x, y, count, s);
    if (count <= 32) return launch<T, P, 32, 1>(a, out, x, y, count, s);
    if (count <= 64) return launch<T, P, 32, 2>(a, out, x, y, count, s);
    launch<T, P, 32, 4>(a, out, x, y, count, s);
}

#define SPTUNE_INSTANTIATE(P)                                                                     \
    template void multiply_many(CsrView<SPTUNE_VALUE, P>, SPTUNE_VALUE,                           \
                                Vectors<const SPTUNE_VALUE>, SPTUNE_VALUE, Vectors<SPTUNE_VALUE>, \
                                std::size_t, void*);
SPTUNE_INSTANTIATE(std::int32_t)
SPTUNE_INSTANTIATE(std::int64_t)

}  // namespace sptune::cuda
