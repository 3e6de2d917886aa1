// Rows so long that kernels for a CPU store them beside the slices of the others: in a slice they
// would pad their neighbours, and one thread would be busy with them while the others wait.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>

namespace sptune {

/// Which rows these are. There are kMostLongRows at most, whose sums find room on a stack.
class LongRowRule {
  public:
    static constexpr int kMostLongRows = 1024;
    /// An entry beside slices counts as so many in them, so that rows that pad each other little
    /// stay together.
    static constexpr std::int64_t kBeside = 2;

    explicit LongRowRule(std::int64_t nnz)
        : least_(std::max(kLeast, nnz / kMostLongRows + 1)),
          always_(std::max(kLeastAlways, nnz / kShares)) {}

    /// Shorter ones are none.
    std::int64_t least() const { return least_; }
    /// Those of as many entries are too much for one thread, whatever they pad.
    std::int64_t always() const { return std::max(least_, always_); }

    /// The width of a slice of `c` rows that would have rows of these lengths: what is longer is
    /// stored beside it. The width with the fewest stored entries in all, but for always().
    /// `lengths` gets sorted.
    std::int64_t width(std::span<std::int64_t> lengths, int c) const {
        std::sort(lengths.begin(), lengths.end(), std::greater<>());
        std::int64_t best = lengths.empty() ? 0 : lengths[0], beside = 0, fewest = best * c;
        for (std::size_t out = 0; out < lengths.size() && lengths[out] >= least_; ++out) {
            beside += lengths[out];
            const std::int64_t next = out + 1 < lengths.size() ? lengths[out + 1] : 0;
            const std::int64_t stored = kBeside * beside + next * c;
            if (stored < fewest || lengths[out] >= always_) best = next, fewest = stored;
        }
        return best;
    }

  private:
    static constexpr std::int64_t kLeast = 256, kShares = 256, kLeastAlways = 2048;

    std::int64_t least_, always_;
};

}  // namespace sptune
