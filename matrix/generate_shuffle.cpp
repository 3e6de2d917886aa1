// Rows and columns of a generated matrix in another order. The order is computed where it is asked
// for, not stored: it takes no memory, and the bound of a matrix is known at once.
#include "matrix/generate_rows.hpp"
#include "matrix/random_columns.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace sptune {
namespace {

/// The number that `odd` times modulo 2^32 is 1: each step of Newton's doubles the bits that are
/// right, beginning with three.
constexpr std::uint32_t inverse(std::uint32_t odd) {
    std::uint32_t x = odd;
    for (int i = 0; i < 4; ++i) x *= 2 - odd * x;
    return x;
}

/// A pseudo-random permutation of [0, size), size up to 2^31. Each round multiplies by an odd
/// number and folds the upper half of the bits onto the lower one; both can be undone. Numbers of
/// as many bits that are not below size are sent on until they are, which keeps it a permutation.
class Permutation {
  public:
    Permutation(const Stream& stream, std::uint32_t size) : size_(size) {
        const int bits = std::bit_width(size - 1);
        mask_ = static_cast<std::uint32_t>((std::uint64_t{1} << bits) - 1);
        fold_ = std::max(1, (bits + 1) / 2);
        for (std::size_t k = 0; k < rounds_.size(); ++k) {
            const std::uint64_t random = stream.at(k);
            rounds_[k] = {static_cast<std::uint32_t>(random),
                          static_cast<std::uint32_t>(random >> 32) | 1};
        }
    }

    std::uint32_t forward(std::uint32_t x) const {
        do {
            for (const Round& round : rounds_) {
                x = ((x + round.add) * round.factor) & mask_;
                x ^= x >> fold_;
            }
        } while (x >= size_);
        return x;
    }
    std::uint32_t backward(std::uint32_t x) const {
        do {
            for (std::size_t k = rounds_.size(); k-- > 0;) {
                x ^= x >> fold_;  // undoes itself, as the upper half of the bits is not changed
                x = (x * inverse(rounds_[k].factor) - rounds_[k].add) & mask_;
            }
        } while (x >= size_);
        return x;
    }

  private:
    struct Round {
        std::uint32_t add, factor;
    };
    std::uint32_t size_, mask_;
    int fold_;
    std::array<Round, 6> rounds_;
};

/// Renumbered within windows: the rows, and the columns likewise where the matrix is square, so
/// that the diagonal and the symmetry stay.
class Shuffled : public RowSource {
  public:
    Shuffled(std::unique_ptr<RowSource> from, std::int64_t window)
        : from_(std::move(from)), window_(std::min<std::int64_t>(window, from_->rows)) {
        rows = from_->rows, cols = from_->cols, rule = from_->rule;
    }
    void plant(std::uint64_t value) override { seed = value, from_->plant(value); }
    std::int64_t bound() const override { return from_->bound(); }
    std::int64_t count(index_t row, std::vector<index_t>& scratch) const override {
        return from_->count(old_number(row), scratch);
    }
    void columns(index_t row, std::vector<index_t>& out) const override {
        from_->columns(old_number(row), out);
        if (rows != cols) return;
        for (index_t& column : out) column = new_number(column);
        sort_unique(out, cols);
    }

  private:
    index_t new_number(index_t old) const {
        const index_t first = begin(old);
        return first + static_cast<index_t>(permutation(first).forward(offset(old, first)));
    }
    index_t old_number(index_t now) const {
        const index_t first = begin(now);
        return first + static_cast<index_t>(permutation(first).backward(offset(now, first)));
    }
    index_t begin(index_t at) const { return static_cast<index_t>(at / window_ * window_); }
    static std::uint32_t offset(index_t at, index_t first) {
        return static_cast<std::uint32_t>(at - first);
    }
    /// Of the window that begins there; the last one may be shorter.
    Permutation permutation(index_t first) const {
        const std::int64_t size = std::min<std::int64_t>(window_, rows - first);
        const Stream stream(seed, keys::kShuffle | static_cast<std::uint64_t>(first));
        return {stream, static_cast<std::uint32_t>(size)};
    }

    std::unique_ptr<RowSource> from_;
    std::int64_t window_;
};

}  // namespace

std::unique_ptr<RowSource> shuffled(std::unique_ptr<RowSource> source, std::int64_t window) {
    return std::make_unique<Shuffled>(std::move(source), window);
}

}  // namespace sptune
