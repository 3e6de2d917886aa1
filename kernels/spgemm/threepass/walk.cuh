// How a team of threads goes through the products of one row: entry after entry of A, side by side
// over the row of B that it selects. Where a row of B has no duplicates, no two threads meet the
// same column at the same time, and the team waits for each other between entries; so marks and
// sums need no atomics and every sum is added up in the same order each time. Where B may have
// duplicates, one thread of the team walks alone.
#pragma once

#include "matrix/csr.hpp"
#include "matrix/cuda/device.cuh"

namespace sptune::cuda {

/// `Threads` neighbouring threads of a block of `Block`: up to a warp, or all of them.
template <int Block, int Threads>
struct Team {
    static_assert(Threads == Block || Threads <= kWarp);
    static constexpr int kPerBlock = Block / Threads;

    __device__ static int place() { return threadIdx.x / Threads; }
    __device__ static int rank() { return threadIdx.x % Threads; }
    /// All threads of the team; orders what they wrote before what they read after.
    __device__ static void sync() {
        if constexpr (Threads == Block) {
            __syncthreads();
        } else if constexpr (Threads == kWarp) {
            __syncwarp();
        } else {
            const int first = threadIdx.x % kWarp / Threads * Threads;
            __syncwarp(((1u << Threads) - 1) << first);
        }
    }
};

/// Hands out the rows: the next one nobody has, or every `teams`-th.
struct RowSource {
    int* next;  ///< nullptr: rows are shared out beforehand
    index_t rows;
};

/// What a team keeps in shared memory: where the rows of B are that its next entries of A select.
template <int Block, class T, class P>
struct Stage {
    P from[Block], to[Block];
    T factor[Block];
    index_t row[Block];  ///< of a team, at its first place
    int count[Block];    ///< likewise: columns found so far
};

/// Calls work(row) for each row that falls to this team, all its threads together.
template <class Team, class Stage, class Work>
__device__ void for_each_row(const RowSource& source, Stage& stage, Work work) {
    const std::int64_t team = std::int64_t{blockIdx.x} * Team::kPerBlock + Team::place();
    const std::int64_t teams = std::int64_t{gridDim.x} * Team::kPerBlock;
    if (source.next == nullptr) {
        for (std::int64_t row = team; row < source.rows; row += teams) {
            Team::sync();
            work(static_cast<index_t>(row));
        }
        return;
    }
    for (;;) {
        Team::sync();
        if (Team::rank() == 0) stage.row[Team::place()] = atomicAdd(source.next, 1);
        Team::sync();
        const index_t row = stage.row[Team::place()];
        if (row < 0 || row >= source.rows) return;
        work(row);
    }
}

/// Calls visit(column, entry of B, entry of A) for the products of `row`.
template <class Team, int Threads, int Block, class T, class P, class Visit>
__device__ void for_each_product(const CsrView<T, P>& a, const CsrView<T, P>& b, index_t row,
                                 bool together, Stage<Block, T, P>& stage, Visit visit) {
    const int step = together ? Threads : 1;
    const int home = Team::place() * Threads, rank = Team::rank();
    const P end = a.row_ptr[row + 1];
    for (P k = a.row_ptr[row]; k < end; k += Threads) {
        Team::sync();
        if (k + rank < end) {
            const index_t inner = a.col_idx[k + rank];
            stage.from[home + rank] = b.row_ptr[inner];
            stage.to[home + rank] = b.row_ptr[inner + 1];
            stage.factor[home + rank] = a.values[k + rank];
        }
        Team::sync();
        const int staged = end - k < Threads ? static_cast<int>(end - k) : Threads;
        for (int i = home; i < home + staged; ++i) {
            const P to = stage.to[i];
            const T factor = stage.factor[i];
            if (together || rank == 0)
                for (P n = stage.from[i] + rank; n < to; n += step) visit(b.col_idx[n], factor, n);
            Team::sync();
        }
    }
}

}  // namespace sptune::cuda
