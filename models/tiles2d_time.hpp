// What multiplying by two-dimensional tiles takes. It is reckoned and not learned: sweeps that
// models learn from have none of it.
#pragma once

#include <string_view>

namespace sptune::models {

/// What is known of tiles2d.shared and a matrix.
struct Tiles2dWork {
    double bytes;    ///< of codes and values
    double fetched;  ///< numbers of x, by all blocks together
    double slots;    ///< of y, by all blocks together
    double entries;
    double gini;  ///< of the lengths of rows
    int threads;  ///< of a block
    int value_bytes;
    int multiprocessors;
    double bandwidth_gbs;  ///< of the memory
};

/// µs of one call. Fitted to 51 times on an H200, of matrices with 4 to 100 million entries in
/// random columns, whose errors are 9 % at most (bench/results/2026-11-28-tiles2d.md). Too much
/// where entries lie together, near the diagonal, say: not all of x is fetched for every panel
/// then.
double tiles2d_us(const Tiles2dWork& work);

/// µs of the conversion, about, in the same sweeps.
double tiles2d_convert_us(const Tiles2dWork& work);

/// How often a choice by this is within 5 % of the fastest: a guess. It was on eight of the eight
/// matrices that it was chosen for, but it was fitted on them.
inline constexpr double kTiles2dConfidence = 0.6;
/// What a selection names as its model then.
inline constexpr std::string_view kTiles2dModel = "two-dimensional tiles";

}  // namespace sptune::models
