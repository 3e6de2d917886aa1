// The one pass over all entries: everything that has to be exact and cannot be sampled; a quick
// look estimates some of it all the same.
#pragma once

#include "features/features.hpp"
#include "features/row_lengths.hpp"
#include "matrix/csr.hpp"

#include <cstdint>

namespace sptune {

/// Sums of row distances: up to nnz · 2^31, which 64 bits do not always hold.
__extension__ using wide_sum = unsigned __int128;

struct WholePass {
    Look look = Look::thorough;  ///< how; a quick one sums no hash and leaves `constant` as it is
    LengthHistogram lengths;
    RowOrderSums order;
    std::uint64_t hash = 0;  ///< sum of the fingerprint's terms
    bool sorted = true;      ///< the columns of every row never decrease
    bool constant = true;    ///< all values have the same bits

    // Of these rows and entries: all of them, or what a quick look has passed.
    std::int64_t rows = 0, entries = 0;
    wide_sum distance = 0;         ///< Σ |column - row|
    std::int64_t profile = 0;      ///< Σ max(0, row - smallest column)
    std::int64_t first_moves = 0;  ///< Σ |smallest column(i) - smallest column(i-1)|
    std::int64_t first_pairs = 0;  ///< how many of those: neither row is empty

    /// Occupied ones. What merge() leaves out: diagonals met twice must count once. A quick look
    /// estimates how many there are; the lowest and the highest are of those that it met.
    std::int64_t diagonals = 0, lowest_diagonal = 0, highest_diagonal = 0;

    void merge(const WholePass& other);
};

/// `matrix` must have at least one nonzero. Throws UsageError where its row pointer or a column
/// leads out of the arrays.
template <class T, class P>
WholePass whole_pass(CsrView<T, P> matrix, int threads, Look look = Look::thorough);

}  // namespace sptune
