// DIA on the GPU: neighbouring rows in neighbouring threads. x is never gathered: a warp reads 32
// neighbouring entries for each diagonal.
#include "kernels/cuda/axes.hpp"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/residency.hpp"
#include "kernels/kernel_list.hpp"
#include "kernels/spmv/dia/cuda_format.hpp"
#include "kernels/spmv/dia/packed.cuh"

#include <algorithm>

namespace sptune::cuda {
namespace {

template <class T>
struct Dia {
    index_t rows, cols, count, lowest, highest;
    std::int64_t pitch;
    const T* values;
    const index_t* diagonal;
    const std::int32_t* rest_ptr;
    const index_t* rest_column;
    const T* rest_values;
    index_t few[kFewDiagonals];
};

/// Adds the diagonals of rows [i, i + Rows) to `sum`, `Unroll` diagonals in flight. `Inner`: all of
/// them lie inside the matrix in all these rows. `Few`: the offsets came as arguments.
template <int Rows, int Unroll, bool Few, bool Inner, class T>
__device__ __forceinline__ void add_diagonals(MatrixLoad load, const Dia<T>& s, std::int64_t i,
                                              const T* __restrict__ x, T (&sum)[Rows]) {
    const T* values = s.values + i;
    for (index_t k = 0; k < s.count; k += Unroll) {
        T value[Unroll][Rows], from[Unroll][Rows];
#pragma unroll
        for (int u = 0; u < Unroll; ++u) {
#pragma unroll
            for (int r = 0; r < Rows; ++r) value[u][r] = from[u][r] = T{0};
            if (k + u >= s.count) continue;
            const std::int64_t column = i + (Few ? s.few[k + u] : __ldg(s.diagonal + k + u));
            load_pack(load, values + u * s.pitch, value[u]);
#pragma unroll
            for (int r = 0; r < Rows; ++r)
                if (Inner || (column + r >= 0 && column + r < s.cols))
                    from[u][r] = gather(x, column + r);
        }
#pragma unroll
        for (int u = 0; u < Unroll; ++u)
#pragma unroll
            for (int r = 0; r < Rows; ++r) sum[r] += value[u][r] * from[u][r];
        values += Unroll * s.pitch;
    }
}

/// What lies off the diagonals in row i. Where none of 32 rows has any, that is known from one
/// sector of the pointers.
template <class T>
__device__ __forceinline__ T rest_of_row(const Dia<T>& s, std::int64_t i, const T* __restrict__ x) {
    const std::int64_t first = i / kWarp * kWarp;
    T sum{0};
    if (s.rest_ptr[first] == s.rest_ptr[min(first + kWarp, static_cast<std::int64_t>(s.rows))])
        return sum;
    const std::int32_t end = s.rest_ptr[i + 1];
#pragma unroll 4
    for (std::int32_t k = s.rest_ptr[i]; k < end; ++k)
        sum += s.rest_values[k] * gather(x, s.rest_column[k]);
    return sum;
}

template <int Rows, int Unroll, bool Few, bool Rest, class T>
__global__ void __launch_bounds__(1024)
    dia_kernel(const __grid_constant__ Dia<T> s, unsigned kept, Epilogue<T> out,
               const T* __restrict__ x, T* __restrict__ y) {
    wait_for_previous();
    const MatrixLoad load(kept);
    const std::int64_t of_block = static_cast<std::int64_t>(blockDim.x) * Rows;
    const std::int64_t first = blockIdx.x * of_block, last = first + of_block;
    const std::int64_t i = first + static_cast<std::int64_t>(threadIdx.x) * Rows;
    T sum[Rows] = {};
    if (first + s.lowest >= 0 && last + s.highest <= s.cols && last <= s.rows)
        add_diagonals<Rows, Unroll, Few, true>(load, s, i, x, sum);
    else if (i < s.rows)
        add_diagonals<Rows, Unroll, Few, false>(load, s, i, x, sum);
    else
        return;
    if constexpr (Rest) sum[0] += rest_of_row(s, i, x);
    if (i + Rows <= s.rows) {
#pragma unroll
        for (int r = 0; r < Rows; ++r) {
            sum[r] *= out.alpha;
            if (out.beta != T{0}) sum[r] += out.beta * y[i + r];
        }
        store_pack(y + i, sum);
    } else {
#pragma unroll
        for (int r = 0; r < Rows; ++r)
            if (i + r < s.rows) out.store(sum[r], y + i + r);
    }
}

template <class T, int Rows, int Unroll, int Block, bool Rest>
void dia(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const auto& s = static_cast<const DiaStorage<T>&>(storage);
    if (s.rows == 0) return;
    Dia<T> a{s.rows,
             s.cols,
             static_cast<index_t>(s.diagonal.size()),
             s.lowest,
             s.highest,
             s.pitch,
             s.values.data(),
             s.diagonal.data(),
             s.rest_ptr.data(),
             s.rest_column.data(),
             s.rest_values.data(),
             {}};
    std::copy(s.few, s.few + kFewDiagonals, a.few);
    const unsigned blocks = blocks_for(s.rows, Block * Rows);
    const Epilogue<T> out{alpha, beta};
    const auto kernel = a.count <= kFewDiagonals ? &dia_kernel<Rows, Unroll, true, Rest, T>
                                                 : &dia_kernel<Rows, Unroll, false, Rest, T>;
    launch_early(kernel, blocks, Block, launch, a, kept_share<T>(s, s.rows, s.cols), out, x, y);
}

/// rows of each thread
struct rows_each {
    static constexpr const char* name = "r";
};
using RowsGrid = grid<axis<rows_each, 1, 2, 4>, axis<unroll, 1, 2, 4, 8>, Blocks>;
using HybridGrid = grid<axis<unroll, 1, 2, 4, 8>, Blocks>;

template <class T>
void add_all(KernelList<T>& list) {
    // What a thread has in flight must fit its registers, 64 in blocks of 1024.
    constexpr std::size_t kWidestLoad = 16, kInFlight = 64;
    for_each_point(RowsGrid{}, [&]<class Point>(Point p) {
        constexpr int r = Point::template get<rows_each>(), u = Point::template get<unroll>();
        if constexpr (r * sizeof(T) <= kWidestLoad && r * u * sizeof(T) <= kInFlight)
            add_kernel_for_all_indices<DiaFormat, T>(
                list, "rows", {{"f", kAll}}, p.params(),
                &dia<T, r, u, Point::template get<block>(), false>);
    });
    for (const int percent : {20, 60})
        for_each_point(HybridGrid{}, [&]<class Point>(Point p) {
            add_kernel_for_all_indices<DiaFormat, T>(
                list, "hybrid", {{"f", percent}}, p.params(),
                &dia<T, 1, Point::template get<unroll>(), Point::template get<block>(), true>);
        });
}

}  // namespace
}  // namespace sptune::cuda

namespace sptune {

void add_cuda_dia_kernels(KernelList<SPTUNE_VALUE>& list) {
    cuda::add_all<SPTUNE_VALUE>(list);
}

}  // namespace sptune
