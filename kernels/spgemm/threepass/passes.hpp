// Three passes over the rows of A: count the entries of each row of C, turn the counts into row
// pointers (CUB scan), compute the values straight into C's own arrays; then the columns of each
// row are sorted. A table with a place for every column of C tells whether and where a column was
// met.
#pragma once

#include "kernels/cuda/axes.hpp"
#include "kernels/spgemm/kernel.hpp"
#include "matrix/cuda/device_buffer.hpp"

#include <memory>

namespace sptune::cuda {

/// How rows come to teams.
struct claim_rows {
    static constexpr const char* name = "d";
};
/// How a team's table is made ready for its next row.
struct table_reset {
    static constexpr const char* name = "r";
};
enum class Claim {
    shared_out = 1,  ///< beforehand, as published
    taken = 2,       ///< a team takes the next one that nobody has
};
enum class Reset {
    whole = 1,    ///< every column, as published
    touched = 2,  ///< only what the row wrote
    none = 3,     ///< nothing: what a place holds tells which row wrote it
};

/// One launch of a pass.
template <class T, class P>
struct PassArguments {
    CsrView<T, P> a, b;
    P* row_ptr;    ///< count: lengths out; fill: row pointers of C in
    index_t* col;  ///< fill: C's
    T* value;      ///< fill: C's
    P* table;      ///< b.cols places for each team, all bytes 0xff at first
    int* next;     ///< rows claimed, 0 at first; nullptr: shared out beforehand
    Reset reset;
    bool together;  ///< rows of B have no duplicates
};

/// The kernels of one block and team size.
template <class T, class P>
struct Passes {
    int block, teams_per_block;
    int (*resident_blocks)();  ///< of the kernel that needs more, on one multiprocessor
    void (*count)(const PassArguments<T, P>&, unsigned blocks);
    void (*fill)(const PassArguments<T, P>&, unsigned blocks);
};

/// Those for rows of all kinds, as the patterns of blocks have.
template <class T>
Passes<T, std::int64_t> usual_passes();

/// Memory for the tables: this share of what there is at most, and never more than kTableBytes:
/// clearing them should not cost more than the product, and what the cache holds is faster.
inline constexpr std::uint64_t kTableShare = 4, kTableBytes = 512ull << 20;

template <class T, class P>
std::unique_ptr<Product<T, P>> multiply_threepass(const SpgemmProblem<T, P>& problem,
                                                  const Params& params,
                                                  const SpgemmOptions& options,
                                                  const Passes<T, P>& passes);

}  // namespace sptune::cuda
