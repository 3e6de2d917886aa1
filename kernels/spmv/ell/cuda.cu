// ELL on the GPU: one thread or several per row.
#include "kernels/cuda/axes.hpp"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/residency.hpp"
#include "kernels/kernel_list.hpp"
#include "kernels/spmv/ell/cuda_format.hpp"
#include "kernels/spmv/padded_dot.cuh"

namespace sptune::cuda {
namespace {

/// C: index_t, or 16-bit offsets from the smallest column of each 32 rows.
template <class T, class C>
struct Ell {
    index_t rows, width;
    std::int64_t pitch;
    const T* values;
    const C* column;
    const index_t* base;
};

template <int Threads, class T, class C>
__global__ void __launch_bounds__(1024, Threads > 1 ? kFullBlocks : 1)
    ell_kernel(Ell<T, C> s, unsigned kept, Epilogue<T> out, const T* __restrict__ x,
               T* __restrict__ y) {
    extern __shared__ __align__(16) unsigned char scratch[];
    wait_for_previous();
    const MatrixLoad load(kept);
    const RowShare<Threads> share;
    const std::int64_t i = share.row();
    T sum{0};
    if (i < s.rows) {
        const T* from = x;
        if constexpr (sizeof(C) == 2) from += s.base[i / 32];
        sum = padded_dot<Threads>(load, s.values + i, s.column + i, share.part, s.width, from,
                                  [&](index_t j) { return j * s.pitch; });
    }
    sum = share.sum(sum, reinterpret_cast<T*>(scratch));
    if (share.part == 0 && i < s.rows) out.store(sum, y + i);
}

template <class T, int Threads, int Block, bool Narrow>
void ell(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const auto& s = static_cast<const EllStorage<T>&>(storage);
    if (s.rows == 0) return;
    constexpr std::size_t scratch = Threads > 1 ? Block * sizeof(T) : 0;
    const LaunchShape shape{blocks_for(s.rows, Block / Threads), Block, scratch};
    const unsigned kept = kept_share<T>(s, s.rows, s.cols);
    const Epilogue<T> out{alpha, beta};
    if constexpr (Narrow) {
        const Ell<T, std::uint16_t> a{s.rows,          s.width,         s.pitch,
                                      s.values.data(), s.offset.data(), s.base.data()};
        launch_early(ell_kernel<Threads, T, std::uint16_t>, shape, stream_of(launch), a, kept, out,
                     x, y);
    } else {
        const Ell<T, index_t> a{s.rows,          s.width,         s.pitch,
                                s.values.data(), s.column.data(), nullptr};
        launch_early(ell_kernel<Threads, T, index_t>, shape, stream_of(launch), a, kept, out, x, y);
    }
}

using ScalarGrid = grid<axis<index_bits, 32, 16>, Blocks>;
using VectorGrid = grid<axis<index_bits, 32, 16>, axis<row_threads, 2, 4, 8, 16, 32>, Blocks>;

template <class T>
void add_all(KernelList<T>& list) {
    for_each_point(ScalarGrid{}, [&]<class Point>(Point) {
        constexpr int b = Point::template get<block>(), x = Point::template get<index_bits>();
        add_kernel_for_all_indices<EllFormat, T>(list, "scalar", {{"x", x}}, {{"b", b}},
                                                 &ell<T, 1, b, x == 16>);
    });
    for_each_point(VectorGrid{}, [&]<class Point>(Point) {
        constexpr int b = Point::template get<block>(), x = Point::template get<index_bits>();
        constexpr int t = Point::template get<row_threads>();
        if constexpr (b / t >= kLeastRows)
            add_kernel_for_all_indices<EllFormat, T>(list, "vector", {{"x", x}},
                                                     {{"t", t}, {"b", b}}, &ell<T, t, b, x == 16>);
    });
}

}  // namespace
}  // namespace sptune::cuda

namespace sptune {

void add_cuda_ell_kernels(KernelList<SPTUNE_VALUE>& list) {
    cuda::add_all<SPTUNE_VALUE>(list);
}

}  // namespace sptune
