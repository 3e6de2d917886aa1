// pJDS on the GPU: one thread or several per stored row.
#include "kernels/cuda/axes.hpp"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/residency.hpp"
#include "kernels/kernel_list.hpp"
#include "kernels/spmv/padded_dot.cuh"
#include "kernels/spmv/pjds/cuda_format.hpp"

#include <bit>

namespace sptune::cuda {
namespace {

template <class T>
struct Pjds {
    index_t rows;
    int log_chunk;
    const index_t* order;
    const index_t* length;
    const std::int64_t* diagonal;
    const T* values;
    const index_t* column;
};

template <int Threads, class T>
__global__ void __launch_bounds__(1024) pjds_kernel(Pjds<T> s, unsigned kept, Epilogue<T> out,
                                                    const T* __restrict__ x, T* __restrict__ y) {
    extern __shared__ __align__(16) unsigned char scratch[];
    wait_for_previous();
    const MatrixLoad load(kept);
    const RowShare<Threads> share;
    const std::int64_t k = share.row();
    T sum{0};
    if (k < s.rows)
        sum = padded_dot<Threads>(load, s.values + k, s.column + k, share.part,
                                  s.length[k >> s.log_chunk], x,
                                  [&](index_t j) { return __ldg(s.diagonal + j); });
    sum = share.sum(sum, reinterpret_cast<T*>(scratch));
    if (share.part == 0 && k < s.rows) out.store(sum, y + s.order[k]);
}

template <class T, int Threads, int Block>
void pjds(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const auto& s = static_cast<const PjdsStorage<T>&>(storage);
    if (s.rows == 0) return;
    const Pjds<T> a{s.rows,
                    std::countr_zero(static_cast<unsigned>(s.chunk)),
                    s.order.data(),
                    s.length.data(),
                    s.diagonal.data(),
                    s.values.data(),
                    s.column.data()};
    constexpr std::size_t scratch = Threads > 1 ? Block * sizeof(T) : 0;
    const LaunchShape shape{blocks_for(s.rows, Block / Threads), Block, scratch};
    launch_early(pjds_kernel<Threads, T>, shape, stream_of(launch), a,
                 kept_share<T>(s, s.rows, s.cols), Epilogue<T>{alpha, beta}, x, y);
}

using Chunks = axis<chunk_rows, 32, 64, 128, 256>;
using ScalarGrid = grid<Chunks, Blocks>;
using VectorGrid = grid<Chunks, axis<row_threads, 4, 16>, Blocks>;

template <class T>
void add_all(KernelList<T>& list) {
    for_each_point(ScalarGrid{}, [&]<class Point>(Point) {
        constexpr int b = Point::template get<block>(), c = Point::template get<chunk_rows>();
        add_kernel_for_all_indices<PjdsFormat, T>(list, "scalar", {{"c", c}}, {{"b", b}},
                                                  &pjds<T, 1, b>);
    });
    for_each_point(VectorGrid{}, [&]<class Point>(Point) {
        constexpr int b = Point::template get<block>(), c = Point::template get<chunk_rows>();
        constexpr int t = Point::template get<row_threads>();
        if constexpr (b / t >= kLeastRows)
            add_kernel_for_all_indices<PjdsFormat, T>(list, "vector", {{"c", c}},
                                                      {{"t", t}, {"b", b}}, &pjds<T, t, b>);
    });
}

}  // namespace
}  // namespace sptune::cuda

namespace sptune {

void add_cuda_pjds_kernels(KernelList<SPTUNE_VALUE>& list) {
    cuda::add_all<SPTUNE_VALUE>(list);
}

}  // namespace sptune
