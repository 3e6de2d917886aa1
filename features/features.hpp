// What sptune knows about a matrix without multiplying it.
#pragma once

#include "matrix/csr.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace sptune {

/// Stored / nnz - 1 of SELL-C-σ. sigma 0 stands for n (all rows sorted).
struct SellPadding {
    int c = 0;
    int sigma = 1;
    double padding = 0;
};

/// Rows so long that kernels for a CPU store them beside the slices of SELL and HDIA (LongRowRule).
struct BesideSlices {
    double share = 0;               ///< of nnz, in rows that may lie beside slices
    std::vector<SellPadding> sell;  ///< as Features::sell, where they do
};

/// Share of stored entries that are nonzeros when the matrix is cut into r×c blocks, in (0, 1].
struct BsrFill {
    int r = 1;
    int c = 1;
    double fill = 1;
};

/// All lengths count entries, all shares lie in [0, 1]. "fill" is nnz / stored, "padding" is
/// stored / nnz - 1. An empty matrix has zeros everywhere. Sums are taken in 64 bits or double.
struct Features {
    // Size.
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    std::int64_t nnz = 0;
    double density = 0;  ///< nnz / (rows · cols), computed in double

    // Row lengths.
    std::int64_t row_min = 0;
    std::int64_t row_max = 0;
    double row_mean = 0;
    double row_median = 0;
    double row_std = 0;   ///< population standard deviation
    double row_cv = 0;    ///< row_std / row_mean
    double row_skew = 0;  ///< third standardised moment
    double row_gini = 0;  ///< 0: all rows equally long; towards 1: one row holds everything
    std::int64_t empty_rows = 0;
    double row_neighbour_diff = 0;  ///< mean |length(i) - length(i-1)|
    double warp_imbalance = 0;      ///< Σ over 32 rows of 32 · longest / nnz; 1 is perfect

    // Diagonals (d = column - row).
    std::int64_t diagonals = 0;        ///< occupied ones, exact
    double dia_fill = 0;               ///< nnz / (diagonals · rows)
    std::int64_t dense_diagonals = 0;  ///< at least 60 % of their length is occupied
    double dense_diagonal_share = 0;   ///< share of nnz on those
    /// Share of nnz on the 1, 4, 16 and 64 fullest diagonals.
    std::array<double, 4> top_diagonal_share{};
    /// Share of the entries (i, j) for which (i + 1, j + 1) is an entry, too; of every fifth row of
    /// those that are looked at. Unknown to databases of before it was there.
    std::optional<double> diagonal_runs;
    std::int64_t bandwidth_max = 0;  ///< max |column - row|
    double bandwidth_mean = 0;       ///< mean |column - row|
    std::int64_t profile = 0;        ///< Σ over rows of max(0, row - first column)

    // Symmetry; 0 for rectangular matrices.
    double pattern_symmetry = 0;  ///< share of off-diagonal entries whose mirror image exists
    double value_symmetry = 0;    ///< share of off-diagonal entries whose mirror image is equal

    // What formats would store.
    double ell_fill = 0;            ///< nnz / (rows · row_max)
    std::vector<SellPadding> sell;  ///< for each of sell_probes()
    /// None where no row is that long, and where nobody has looked, as on a GPU.
    std::optional<BesideSlices> long_rows;
    std::vector<BsrFill> bsr;  ///< for each of bsr_probes()
    /// Share of nnz left over when rows are cut at the 50 %, 75 %, 90 % and 95 % row-length
    /// quantile.
    std::array<double, 4> hyb_remainder{};

    // Locality of x.
    double cols_per_line = 0;   ///< nonzeros per distinct 64-byte line of f64 x, counted per row
    double column_gap = 0;      ///< mean over rows of the mean gap between consecutive columns
    double reuse_distance = 0;  ///< mean |first column(i) - first column(i-1)|, in columns

    // Values.
    bool constant_values = false;  ///< all stored values are the same number (a pattern matrix)

    /// Hash of rows, cols, row_ptr and col_idx: the same on CPU and GPU, for any thread count.
    std::uint64_t fingerprint = 0;

    /// In every row they never decrease. False where unknown: databases do not store it.
    bool columns_sorted = false;

    // How much was looked at: fills, symmetry, dense and fullest diagonals are estimated from this
    // share of the rows. Below 1 SELL padding takes lengths rounded to four bits.
    double sampled_share = 1;
    /// `diagonals`, `dia_fill`, `bandwidth_*`, `profile` and `reuse_distance` are estimated from
    /// this share of the rows: 1, but for a quick look. Databases do not store it, since theirs
    /// is 1.
    double passed_share = 1;
};

/// The (C, σ) and (r, c) that `Features::sell` and `Features::bsr` report on.
struct SellProbe {
    int c;
    int sigma;
};
struct BsrProbe {
    int r;
    int c;
};
const std::vector<SellProbe>& sell_probes();
const std::vector<BsrProbe>& bsr_probes();

/// A quick look is for choosing, in half the time: of large matrices it estimates what
/// `passed_share` tells of, and it leaves out `fingerprint` and `constant_values` (0 and false).
enum class Look { thorough, quick };

/// One or few passes over `matrix`, parallel, ≤ 5 plain CSR SpMVs in all. threads 0: all. Throws
/// UsageError where the row pointer or a column leads out of the arrays.
template <class T, class P>
Features extract_features(CsrView<T, P> matrix, int threads = 0, Look look = Look::thorough);

/// Only the fingerprint; one pass.
template <class T, class P>
std::uint64_t fingerprint(CsrView<T, P> matrix, int threads = 0);

}  // namespace sptune
