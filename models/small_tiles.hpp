// Matrices with a long row, so small that hardly any kernel for a GPU is faster than CSR in tiles.
#pragma once

#include "kernels/safe.hpp"
#include "kernels/variant.hpp"

#include <string_view>

namespace sptune::models {

/// Whether a matrix of this outline is small enough for that.
bool small_for_tiles(const Outline& outline);

/// Whether `kernel`, which spmv_safe() named for this outline, whose longest row is known, is
/// csr.tiles on a matrix that is small enough. In 1412 sweeps of H100s and H200s of which this is
/// true (58 of real matrices that nobody tuned for), with launches of 3.6 µs, it took 1.036 times
/// as long as the fastest kernel of a loop in geometric mean, at the 95th percentile 1.17 times,
/// and more than 1.05 times as long as plain CSR on 0.4 %
/// (bench/results/2026-11-29-tiles-at-sight.md). In graphs, where two launches cost no more than
/// one, coo.atomic is often faster.
bool tiles_suffice(const Variant& kernel, const Outline& outline);

/// µs of one call of csr.tiles on such a matrix; errors 13 % (rms), 11 % on real ones.
double small_tiles_us(ValueType value, const Outline& outline);

/// Whether tiles are faster than plain CSR by so much that it is worthwhile, and repay their
/// conversion in so many calls (0: as many as it takes), times as a program calls them.
bool tiles_pay(double tiles_us, double convert_us, double plain_us, double calls);

/// To find out which rows belong to which tile, of such a matrix: usual ones took 48 to 88.
inline constexpr double kSmallTilesConvertUs = 66;

/// How often what is chosen by this was within 5 % of the fastest kernel.
inline constexpr double kSmallTilesConfidence = 0.77;
/// What a selection names as its model then.
inline constexpr std::string_view kSmallTilesModel = "tiles";

}  // namespace sptune::models
