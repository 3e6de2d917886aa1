// Several lanes of a warp have a row: neighbouring ones have neighbouring vectors, as many as one
// load brings, so that what they fetch of x for an entry of A lies together (as in GE-SpMM: Huang,
// Dai, Wang and Yang, SC 2020); where that leaves lanes, they have other entries. Where rows
// differ, they have pieces of rows instead, in order of how long these are, or long rows are the
// work of whole blocks.
#include "kernels/spmm/cuda.hpp"
#include "kernels/spmm/parts.cuh"
#include "matrix/cuda/check.hpp"
#include "matrix/cuda/grid.hpp"
#include "matrix/cuda/launch.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace sptune::cuda {
namespace {

constexpr int kBlock = kPartThreads;

/// Entries [begin, end) by all of a block: the sum is in its first `Lanes` threads. `part` may be
/// used again.
template <int Lanes, class T, class Held, class P>
__device__ Held sum_by_block(const Own<T, Held, Lanes>& own, const CsrView<T, P>& a,
                             std::int64_t begin, std::int64_t end, Held* part) {
    constexpr int kWarps = kBlock / kWarp;
    const int thread = static_cast<int>(threadIdx.x);
    Held sum{};
    own.add(a, begin + thread / Lanes, end, kBlock / Lanes, sum);
    sum_over_lanes<Lanes, kWarp>(sum);
    if (thread % kWarp < Lanes) part[thread / kWarp * Lanes + thread % kWarp] = sum;
    __syncthreads();
    if (thread < Lanes)
        for (int w = 1; w < kWarps; ++w)
#pragma unroll
            for (int v = 0; v < Held::kVectors; ++v) sum.of[v] += part[w * Lanes + thread].of[v];
    __syncthreads();
    return sum;
}

/// `Group` lanes have a row, `Lanes` of them its next entry. Of long rows, if they are others'
/// work, only βy is left to them.
template <class T, class P, class Held, int Lanes, int Group>
__global__ __launch_bounds__(kBlock) void many_kernel(CsrView<T, P> a, Epilogue<T> out,
                                                      Vectors<const T> x, Vectors<T> y,
                                                      std::int64_t count, std::int64_t long_row,
                                                      bool others_have_long) {
    wait_for_previous();
    constexpr int kRows = kBlock / Group;
    __shared__ Held part[kBlock / kWarp * Lanes];
    const int thread = static_cast<int>(threadIdx.x);
    const Own<T, Held, Lanes> own(x, y, count);
    const std::int64_t first = std::int64_t{blockIdx.x} * kRows, i = first + thread / Group;
    std::int64_t begin = 0, end = 0;
    if (i < a.rows) begin = a.row_ptr[i], end = a.row_ptr[i + 1];
    const bool is_long = end - begin > long_row;
    Held sum{};
    if (!is_long) own.add(a, begin + thread % Group / Lanes, end, Group / Lanes, sum);
    sum_over_lanes<Lanes, Group>(sum);
    if (i < a.rows && (!is_long || others_have_long) && thread % Group < Lanes)
        own.store(sum, out, i);
    if (others_have_long || !__syncthreads_or(is_long)) return;
    for (std::int64_t row = first; row < min(first + kRows, std::int64_t{a.rows}); ++row) {
        begin = a.row_ptr[row], end = a.row_ptr[row + 1];
        if (end - begin <= long_row) continue;
        sum = sum_by_block(own, a, begin, end, part);
        if (thread < Lanes) own.store(sum, out, row);
    }
}

/// A block for each piece of long rows.
template <class T, class P, class Held, int Lanes>
__global__ __launch_bounds__(kBlock) void block_kernel(CsrView<T, P> a, T alpha, Vectors<const T> x,
                                                       Vectors<T> y, std::int64_t count,
                                                       const LongPiece* pieces) {
    wait_for_previous();
    __shared__ Held part[kBlock / kWarp * Lanes];
    const Own<T, Held, Lanes> own(x, y, count);
    const LongPiece piece = pieces[blockIdx.x];
    const Held sum = sum_by_block(own, a, piece.begin, piece.end, part);
    if (threadIdx.x < Lanes) own.add_to(sum, alpha, piece.row);
}

/// As many vectors as there are, in steps of what the kernels take.
template <class T, class P>
struct Many {
    CsrView<T, P> a;
    Epilogue<T> out;
    Vectors<const T> x;
    Vectors<T> y;
    std::size_t count;
    const RowLengths* lengths;
    cudaStream_t stream;

    /// Calls `launch` for as many vectors as one grid takes, until all are done.
    template <class Launch>
    void in_grids(std::size_t of_pass, Launch launch) const {
        constexpr std::size_t kMostPasses = 65535;
        for (std::size_t done = 0; done < count; done += kMostPasses * of_pass) {
            const std::size_t now = std::min(count - done, kMostPasses * of_pass);
            launch(x.from(done), y.from(done), static_cast<std::int64_t>(now),
                   static_cast<unsigned>((now + of_pass - 1) / of_pass));
        }
    }
    /// Calls go<G>(), with lanes of some eight entries each in groups of G, or four where some rows
    /// have many more.
    template <int Lanes, class Go>
    void with_group(Go go) const {
        const double uneven = lengths && lengths->uneven ? 2 : 1;
        const double wanted = uneven * Lanes * static_cast<double>(a.nnz()) / a.rows / 8;
        if constexpr (Lanes <= 8)
            if (wanted < 16) return go.template operator()<8>();
        if constexpr (Lanes <= 16)
            if (wanted < 32) return go.template operator()<16>();
        go.template operator()<32>();
    }
    /// Calls go<L>() with enough lanes for `lanes`, or all of a warp.
    template <class Go>
    static void with_lanes(std::size_t lanes, Go go) {
        if (lanes <= 1) return go.template operator()<1>();
        if (lanes <= 2) return go.template operator()<2>();
        if (lanes <= 4) return go.template operator()<4>();
        if (lanes <= 8) return go.template operator()<8>();
        if (lanes <= 16) return go.template operator()<16>();
        go.template operator()<32>();
    }

    template <class Held, int Lanes, int Group>
    void launch_rows() const {
        const unsigned blocks = blocks_for(a.rows, kBlock / Group);
        in_grids(Lanes * Held::kVectors, [&](auto from, auto to, auto vectors, unsigned passes) {
            launch_early(many_kernel<T, P, Held, Lanes, Group>, dim3(blocks, passes), kBlock,
                         stream, a, out, from, to, vectors, lengths ? lengths->long_row : kLongRow,
                         lengths != nullptr);
            if (!lengths || lengths->long_pieces.empty()) return;
            const dim3 long_blocks(static_cast<unsigned>(lengths->long_pieces.size()), passes);
            launch_early(block_kernel<T, P, Held, Lanes>, long_blocks, kBlock, stream, a, out.alpha,
                         from, to, vectors, lengths->long_pieces.data());
        });
    }
    template <class Held, int Lanes>
    void launch_rows() const {
        with_group<Lanes>([&]<int Group>() { launch_rows<Held, Lanes, Group>(); });
    }

    template <int W, int Lanes, int Group, class Parts>
    void launch_parts(Parts parts) const {
        const unsigned blocks = blocks_for(parts.count, kBlock / Group);
        in_grids(Lanes * W, [&](auto from, auto to, auto vectors, unsigned passes) {
            begin_rows(to, vectors);
            launch_early(part_kernel<T, P, W, Lanes, Group, Parts>, dim3(blocks, passes), kBlock,
                         stream, a, out, from.data, from.row_step, to.data, to.row_step,
                         static_cast<int>(vectors), parts);
        });
    }
    template <int W, int Lanes>
    void launch_parts() const {
        const auto pieces = static_cast<std::int64_t>(lengths->sorted_pieces.size());
        if (pieces == 0)
            return with_group<Lanes>([&]<int Group>() {
                launch_parts<W, Lanes, Group>(WholeRows<P>{a.row_ptr, a.rows});
            });
        // The next entry of a piece is that of another lane for the same vectors, if any is left.
        launch_parts<W, Lanes, std::clamp(2 * Lanes, 16, kWarp)>(
            SortedPieces<P>{lengths->sorted_pieces.data(), pieces});
    }
    void begin_rows(const Vectors<T>& to, std::int64_t vectors) const {
        const auto rows = static_cast<std::int64_t>(lengths->cut_rows.size());
        if (rows == 0 || out.beta == T{1}) return;
        constexpr std::int64_t kMostBlocks = 1 << 16;
        const std::int64_t wanted = (rows * vectors + kBlock - 1) / kBlock;
        launch_early(begin_cut_rows<T>, static_cast<unsigned>(std::min(wanted, kMostBlocks)),
                     kBlock, stream, lengths->cut_rows.data(), rows, out.beta, to, vectors);
    }

    /// Whether steps behind the last entry stay within P, and rows without pieces are short.
    bool can_have_parts() const {
        return a.nnz() <= std::numeric_limits<P>::max() - kBlock &&
               (!lengths->sorted_pieces.empty() || lengths->long_pieces.empty());
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
        with_lanes(count / W, [&]<int Lanes>() {
            if constexpr (Lanes > 1)
                launch_parts<W, Lanes>();
            else  // one launch less, and x of neighbouring rows is all that lies together
                launch_rows<SideBySide<T, W>, 1>();
        });
    }
    /// The order of sums does not depend on where x and y lie.
    void rows_alike() const {
        with_lanes(count, [&]<int Lanes>() { launch_rows<SideBySide<T, 1>, Lanes>(); });
    }

    /// As many as are a multiple of V together, then fewer and fewer.
    template <int V>
    void anywhere() const {
        Many whole = *this, rest = *this;
        whole.count = count / V * V;
        rest.count = count - whole.count;
        rest.x = x.from(whole.count);
        rest.y = y.from(whole.count);
        if (whole.count > 0) whole.template launch_rows<Apart<T, V>, 1>();
        if constexpr (V > 1)
            if (rest.count > 0) rest.template anywhere<V / 2>();
    }
};

}  // namespace

template <class T, class P>
void multiply_many(CsrView<T, P> a, T alpha, Vectors<const T> x, T beta, Vectors<T> y,
                   std::size_t count, const RowLengths* lengths, void* stream) {
    if (a.rows == 0 || count == 0) return;
    const Many<T, P> many{
        a, {alpha, beta}, x, y, count, lengths, static_cast<cudaStream_t>(stream)};
    constexpr int kWidest = 16 / sizeof(T);
    if (!(x.by_rows() && y.by_rows()))
        many.template anywhere<8>();
    else if (lengths && many.can_have_parts())
        many.template rows<kWidest>();
    else
        many.rows_alike();
}

#define SPTUNE_INSTANTIATE(P)                                                                     \
    template void multiply_many(CsrView<SPTUNE_VALUE, P>, SPTUNE_VALUE,                           \
                                Vectors<const SPTUNE_VALUE>, SPTUNE_VALUE, Vectors<SPTUNE_VALUE>, \
                                std::size_t, const RowLengths*, void*);
SPTUNE_INSTANTIATE(std::int32_t)
SPTUNE_INSTANTIATE(std::int64_t)

}  // namespace sptune::cuda
