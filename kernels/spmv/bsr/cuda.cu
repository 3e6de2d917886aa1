// BSR on the GPU: a warp or a part of one per block row.
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/residency.hpp"
#include "kernels/kernel_list.hpp"
#include "kernels/spmv/bsr/cuda_format.hpp"
#include "kernels/spmv/bsr/cuda_grid.hpp"
#include "kernels/spmv/bsr/sweep.cuh"
#include "kernels/spmv/pieces.cuh"

namespace sptune::cuda {
namespace {

/// block rows of a warp
struct block_rows {
    static constexpr const char* name = "g";
};

template <class T>
struct Rows {
    index_t rows, block_rows;
    const std::int32_t* block_ptr;
    const index_t* column;
    const T* values;

    explicit Rows(const BsrStorage<T>& s)
        : rows(s.rows),
          block_rows(s.block_rows()),
          block_ptr(s.block_ptr.data()),
          column(s.column.data()),
          values(s.values.data()) {}
};

/// `PerWarp` block rows per warp. The long ones are left to bsr_pieces_kernel.
template <int R, int C, int PerWarp, class T>
__global__ void __launch_bounds__(kMaxBlock)
    bsr_rows_kernel(Rows<T> a, unsigned kept, Epilogue<T> out, const T* __restrict__ x,
                    T* __restrict__ y) {
    wait_for_previous();
    const MatrixLoad load(kept);
    constexpr int lanes = kWarp / PerWarp;
    const int lane = threadIdx.x % lanes;
    const std::int64_t b = global_thread() / lanes;
    std::int32_t begin = 0, end = 0;
    bool mine = b < a.block_rows;
    if (mine) {
        begin = a.block_ptr[b], end = a.block_ptr[b + 1];
        if (end - begin > BsrStorage<T>::kLongBlocks) mine = false, end = begin;
    }
    T sum = sweep_blocks<R, C, lanes>(load, a.column, a.values, begin, end, lane, x);
    sum = sum_rows<R, C, lanes>(sum, lane);
    const std::int64_t row = b * R + lane;
    if (mine && lane < R && row < a.rows) out.store(sum, y + row);
}

constexpr int kPieceBlock = 256;

/// A thread block per piece. The one that finishes last adds up the pieces of its block row, in the
/// same order every time.
template <int R, int C, class T>
__global__ void __launch_bounds__(kPieceBlock)
    bsr_pieces_kernel(Rows<T> a, PiecesView<T> p, unsigned kept, Epilogue<T> out,
                      const T* __restrict__ x, T* __restrict__ y) {
    wait_for_previous();
    const MatrixLoad load(kept);
    constexpr int limit = BsrStorage<T>::kLongBlocks, warps = kPieceBlock / kWarp;
    constexpr int each = limit / warps;
    __shared__ T part[warps][R];
    __shared__ bool last;
    const int piece = static_cast<int>(blockIdx.x), which = p.piece_long[piece];
    const int first = p.piece_ptr[which], pieces = p.piece_ptr[which + 1] - first;
    const std::int64_t b = p.long_row[which];
    const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
    const std::int32_t start = a.block_ptr[b], blocks = a.block_ptr[b + 1] - start;
    const int from = min((piece - first) * limit + warp * each, blocks);
    const int to = from + min(each, blocks - from);
    T sum = sweep_blocks<R, C, kWarp>(load, a.column, a.values, start + from, start + to, lane, x);
    sum = sum_rows<R, C, kWarp>(sum, lane);
    if (lane < R) part[warp][lane] = sum;
    __syncthreads();
    if (threadIdx.x < R) {
        sum = T{0};
        for (int w = 0; w < warps; ++w) sum += part[w][threadIdx.x];
        p.partial[static_cast<std::int64_t>(piece) * R + threadIdx.x] = sum;
    }
    __syncthreads();
    if (threadIdx.x == 0) last = p.finishes(which, pieces);
    __syncthreads();
    if (!last || warp != 0) return;
    __threadfence();
    using S = Sweep<R, 1, kWarp>;
    sum = T{0};
    if (lane < S::lanes)
        for (std::int64_t k = lane; k < static_cast<std::int64_t>(pieces) * R; k += S::lanes)
            sum += __ldcg(p.partial + static_cast<std::int64_t>(first) * R + k);
    sum = sum_rows<R, 1, kWarp>(sum, lane);
    const std::int64_t row = b * R + lane;
    if (lane < R && row < a.rows) out.store(sum, y + row);
    if (lane == 0) p.done[which] = 0;  // for the next call
}

template <class T, int R, int C, int PerWarp, int Block>
void bsr_rows(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const auto& s = static_cast<const BsrStorage<T>&>(storage);
    if (s.rows == 0) return;
    const Epilogue<T> out{alpha, beta};
    const Rows<T> a(s);
    const unsigned blocks = blocks_for(a.block_rows, Block / kWarp * PerWarp);
    launch_early(bsr_rows_kernel<R, C, PerWarp, T>, blocks, Block, launch, a,
                 kept_share<T>(s, s.rows, s.cols), out, x, y);
    if (s.pieces.size() == 0) return;
    const auto piece_blocks = static_cast<unsigned>(s.pieces.size());
    launch_early(bsr_pieces_kernel<R, C, T>, piece_blocks, kPieceBlock, launch, a,
                 PiecesView<T>(s.pieces), kept_share<T>(s, s.rows, s.cols), out, x, y);
}

using RowsGrid = grid<axis<block_rows, 1, 2, 4>, BsrBlocks>;

template <class T>
void add_all(KernelList<T>& list) {
    for_each_block_size([&]<int R, int C> {
        for_each_point(RowsGrid{}, [&]<class Point>(Point p) {
            constexpr int g = Point::template get<block_rows>(), b = Point::template get<block>();
            add_kernel_for_all_indices<BsrFormat, T>(list, "rows", {{"r", R}, {"c", C}}, p.params(),
                                                     &bsr_rows<T, R, C, g, b>);
        });
    });
}

}  // namespace
}  // namespace sptune::cuda

namespace sptune {

void add_cuda_bsr_kernels(KernelList<SPTUNE_VALUE>& list) {
    cuda::add_all<SPTUNE_VALUE>(list);
    cuda::add_bsr_sliced(list);
}

}  // namespace sptune
