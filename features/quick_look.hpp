// What a quick look passes of a matrix, and what it makes of it.
#pragma once

#include "features/sample.hpp"
#include "matrix/counter_random.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace sptune {

/// Whether a matrix is so large that a quick look passes only some of it: below, what is saved is
/// less than what threads wait for each other. Few rows say little of the others.
constexpr bool worth_a_quick_look(std::int64_t rows, std::int64_t nnz) {
    return rows >= 1024 && rows + nnz >= 32768;
}

/// Two different eighths of the rows [first, last), at pseudo-random places.
inline std::array<RowWindow, 2> quick_windows(std::int64_t first, std::int64_t last) {
    constexpr std::int64_t kParts = 8;
    const std::uint64_t random = mix64(static_cast<std::uint64_t>(first) + 1);
    const auto one = static_cast<std::int64_t>(random % kParts);
    const auto other =
        (one + 1 + static_cast<std::int64_t>((random >> 32) % (kParts - 1))) % kParts;
    const auto part = [=](std::int64_t p) {
        return RowWindow{first + (last - first) * p / kParts,
                         first + (last - first) * (p + 1) / kParts};
    };
    return {part(one), part(other)};
}

/// How many diagonals all `nnz` entries occupy, where the two halves of the `passed` ones occupy
/// `both` in sum, and `either` together. Of those that the second half met anew each half more
/// leaves the same share still to be met: as if entries fell on diagonals at random, of which
/// stencils are the case where nothing is left.
inline std::int64_t all_diagonals(std::int64_t both, std::int64_t either, std::int64_t passed,
                                  std::int64_t nnz) {
    const double half = static_cast<double>(both) / 2, met = static_cast<double>(either);
    const double halves = 2 * static_cast<double>(nnz) / static_cast<double>(passed);
    const double left = std::clamp(met / half - 1, 0.0, 1.0);
    // 1 + left + left² + …: as many as there are halves.
    const double sum = left < 1 - 1e-9 ? (1 - std::pow(left, halves)) / (1 - left) : halves;
    return std::llround(std::clamp(half * sum, met, static_cast<double>(nnz)));
}

}  // namespace sptune
