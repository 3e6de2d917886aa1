// Matrices so small that a program waits for the launch of any kernel for a GPU.
#pragma once

#include "kernels/safe.hpp"
#include "kernels/variant.hpp"
#include "models/launching.hpp"

#include <string_view>

namespace sptune::models {

/// µs of one call of csr.vector in a graph, about, with as many threads per row as spmv_safe()
/// names, on a matrix of this outline, whose longest row is known, with so many columns. Infinite
/// for other kernels. Fitted to 10,071 times of drawn matrices with up to 600 thousand rows and
/// entries on H100s and H200s (less 0.2 µs, by which our kernels now begin sooner): errors 14 %
/// (rms), and 12 % on 420 times of real ones, which it was not fitted to. Of plain CSR, with eight
/// threads, where a row is long a coarse guess: errors 24 % on 1412 sweeps of small matrices, which
/// the time of steps after the 24th was fitted to. For GPUs with fewer multiprocessors a guess.
double threads_per_row_us(const Variant& kernel, const Outline& outline, index_t cols);

/// Whether a loop of such calls waits for their launches, so that no other kernel is faster in it.
/// In those sweeps the kernel was within 5 % of the fastest of a loop on 98 % of the matrices of
/// which this is true, real ones as well, whether launches take 2.2 µs or 4.5; in a graph it took
/// 1.09 to 1.13 times as long as the fastest, in geometric mean
/// (bench/results/2026-11-29-first-look.md).
bool waits_for_launch(const Variant& kernel, const Outline& outline, index_t cols,
                      const Launching& launching);

/// Longer launches, which a busy host may measure, are not taken for granted.
inline constexpr double kLongestLaunchUs = 5;

/// How often what is chosen by this was within 5 % of the fastest kernel.
inline constexpr double kLaunchBoundConfidence = 0.98;
/// What a selection names as its model then.
inline constexpr std::string_view kLaunchBoundModel = "launches";

}  // namespace sptune::models
