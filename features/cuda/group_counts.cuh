// What is counted of the columns of a group of rows, of which a mask says which rows have them.
#pragma once

#include "features/cuda/group.cuh"

#include <utility>

namespace sptune::cuda::groups {

/// How many blocks of `Height` rows a column with these rows touches.
template <int Height>
__device__ unsigned blocks_of(unsigned rows) {
    constexpr unsigned firsts = [] {
        unsigned bits = 0;
        for (int r = 0; r < kRows; r += Height) bits |= 1u << r;
        return bits;
    }();
    unsigned any = rows;
#pragma unroll
    for (int r = 1; r < Height; ++r) any |= rows >> r;
    return static_cast<unsigned>(__popc(any & firsts));
}

using Counts = unsigned[kSides][kSides];

/// The rows of a group whose diagonals are followed, a bit each.
__device__ inline unsigned followed_rows(int rows) {
    unsigned bits = 0;
#pragma unroll
    for (int r = 0; r < kRows; ++r)
        if (follows_diagonals(r, rows)) bits |= 1u << r;
    return bits;
}

/// What a thread has counted.
struct Counted {
    Counts blocks{};
    unsigned followed = 0;   ///< entries of followed_rows()
    unsigned continued = 0;  ///< those whose right neighbour the next row has

    /// For a block of kBlockSides[W] columns, one of which at least each of `rows` has.
    template <std::size_t W>
    __device__ void add_block(unsigned rows) {
        add_heights<W>(rows, std::make_index_sequence<kSides>{});
    }
    /// For a column that `rows` have; the one to the right of it `right` have.
    __device__ void follow(unsigned rows, unsigned right, unsigned starts) {
        const unsigned own = rows & starts;
        followed += static_cast<unsigned>(__popc(own));
        continued += static_cast<unsigned>(__popc(own & right >> 1));
    }

  private:
    template <std::size_t W, std::size_t... H>
    __device__ void add_heights(unsigned rows, std::index_sequence<H...>) {
        ((blocks[W][H] += blocks_of<kBlockSides[H]>(rows)), ...);
    }
};

/// Which entries of a group are looked at: of row r those from first[r] on, as many as `numbers`
/// has for it, where their column lies in the strip.
struct LookedAt {
    const Numbering& numbers;
    const std::int64_t* first;
    ColumnStrip strip;
    /// From columns before it diagonals are followed: what is right of others is not looked at.
    std::int64_t edge;

    /// Calls visit(row of the group, column), with all threads of the block.
    template <class Visit>
    __device__ void for_each(const index_t* col_idx, int rows, Visit visit) const {
        for (std::int64_t n = threadIdx.x; n < numbers.from[rows]; n += threads()) {
            const int r = numbers.row(n, rows);
            const index_t c = col_idx[first[r] + n - numbers.from[r]];
            if (c >= strip.low && c < strip.high) visit(r, c);
        }
    }
};

}  // namespace sptune::cuda::groups
