// Rows and pieces of rows as the work of some lanes each.
#pragma once

#include "kernels/spmm/lanes.cuh"
#include "kernels/spmm/row_lengths.hpp"

namespace sptune::cuda {

inline constexpr int kPartThreads = 256;

/// y = βy in rows that several pieces add to.
template <class T>
__global__ __launch_bounds__(kPartThreads) void begin_cut_rows(const std::int64_t* cut_rows,
                                                               std::int64_t rows, T beta,
                                                               Vectors<T> y, std::int64_t count) {
    wait_for_previous();
    const std::int64_t all = rows * count, step = std::int64_t{gridDim.x} * kPartThreads;
    for (std::int64_t at = global_thread(); at < all; at += step) {
        T* const to = y.data + cut_rows[at / count] * y.row_step + at % count * y.vector_step;
        *to = beta == T{0} ? T{0} : beta * *to;
    }
}

/// What some lanes have: entries begin ... end - 1.
template <class P>
struct Part {
    P begin, end;
    index_t row;
    bool is_whole;
};

template <class P>
struct SortedPieces {
    static constexpr bool kEarly = true;  ///< nothing in a stream writes to them
    const RowPiece* pieces;
    std::int64_t count;

    __device__ Part<P> part(std::int64_t i) const {
        const int4 word = __ldg(reinterpret_cast<const int4*>(pieces + i));
        const auto piece = ::cuda::std::bit_cast<RowPiece>(word);
        const P begin = static_cast<P>(piece.begin);
        return {begin, begin + piece.count, piece.row, piece.is_whole};
    }
};

template <class P>
struct WholeRows {
    static constexpr bool kEarly = false;  ///< they are the caller's
    const P* row_ptr;
    std::int64_t count;

    __device__ Part<P> part(std::int64_t i) const {
        return {row_ptr[i], row_ptr[i + 1], static_cast<index_t>(i), true};
    }
};

/// `Group` lanes have a part, `Lanes` of them its next entry, each for `W` vectors that lie side by
/// side. Numbers are as wide as they have to be: with 32 registers a multiprocessor holds as many
/// threads as it can.
template <class T, class P, int W, int Lanes, int Group, class Parts>
__global__ __launch_bounds__(kPartThreads) void part_kernel(CsrView<T, P> a, Epilogue<T> out,
                                                            const T* x, std::ptrdiff_t x_step, T* y,
                                                            std::ptrdiff_t y_step, int count,
                                                            Parts parts) {
    using Held = SideBySide<T, W>;
    const int thread = static_cast<int>(threadIdx.x) % Group;
    const std::int64_t i = global_thread() / Group;
    Part<P> part{};
    if constexpr (!Parts::kEarly) wait_for_previous();
    if (i < parts.count) part = parts.part(i);
    const int vector = (static_cast<int>(blockIdx.y) * Lanes + thread % Lanes) * W;
    const bool has_any = vector < count;
    if (has_any) x += vector, y += vector;
    if constexpr (Parts::kEarly) wait_for_previous();
    Held sum{};
#pragma unroll 4
    for (P k = part.begin + thread / Lanes; k < part.end; k += Group / Lanes) {
        const T value = __ldg(a.values + k);
        const Held fetched = Held::load(x + __ldg(a.col_idx + k) * x_step);
#pragma unroll
        for (int v = 0; v < W; ++v) sum.of[v] += value * fetched.of[v];
    }
    sum_over_lanes<Lanes, Group>(sum);
    if (i >= parts.count || thread >= Lanes || !has_any) return;
    y += part.row * y_step;
    if (part.is_whole) return sum.store(out, y, 0);
#pragma unroll
    for (int v = 0; v < W; ++v) atomicAdd(y + v, out.alpha * sum.of[v]);
}

}  // namespace sptune::cuda
