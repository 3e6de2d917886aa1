// What slices would hold, roughly: telling every diagonal from every other, as a conversion has to
// (slice_diagonals.hpp), takes several times as long.
#pragma once

#include "kernels/spmv/long_rows.hpp"
#include "matrix/csr.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace sptune::hdia {

/// What the slices of a matrix hold.
struct Counts {
    std::int64_t runs = 0;    ///< kept diagonals
    std::int64_t rest = 0;    ///< Σ over slices of the most entries of a row that are off them
    std::int64_t on = 0;      ///< entries on them
    std::int64_t beside = 0;  ///< entries of long rows off them

    /// Of values and indices; pointers come on top.
    std::uint64_t bytes(int c, std::size_t value) const {
        return static_cast<std::uint64_t>((runs + rest) * c + beside) * value +
               static_cast<std::uint64_t>(runs + rest * c + beside) * sizeof(index_t);
    }
};

/// Diagonals are told apart by a hash alone: a few are taken for one, and one that would read
/// outside of x is kept. Keeps its memory from stretch to stretch.
class RoughSlices {
  public:
    /// A diagonal is kept from `least` entries on.
    struct Kept {
        std::uint16_t least;
        Counts counts;
    };
    /// Looks at rows [first, last) of `a`, fewer than 2^16 entries, which add() counts from 0.
    template <class T, class P>
    void load(CsrView<T, P> a, std::int64_t first, std::int64_t last) {
        hash_.resize(static_cast<std::size_t>(a.row_ptr[last] - a.row_ptr[first]));
        ends_.assign(1, 0);
        std::size_t n = 0;
        for (std::int64_t i = first; i < last; ++i) {
            for (P k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
                const auto diagonal =
                    static_cast<std::uint32_t>(a.col_idx[k]) - static_cast<std::uint32_t>(i);
                hash_[n++] = diagonal * 0x9e3779b1u;
            }
            ends_.push_back(n);
        }
    }
    /// Rows that are there.
    std::size_t rows() const { return ends_.size() - 1; }
    /// Adds the slice of rows [first, last), one of c rows, to all of `kept`.
    void add(std::size_t first, std::size_t last, int c, const LongRowRule& rule,
             std::span<Kept> kept) {
        const std::size_t begin = ends_[first], end = ends_[last];
        // As small as the slice allows: small tables stay in the nearest cache.
        const std::size_t places = std::bit_ceil(std::max<std::size_t>(kSpare * (end - begin), 64));
        if (count_.size() < places) count_.resize(places, 0);
        const int shift = 32 - std::countr_zero(places);
        std::uint16_t* const count = count_.data();  // in registers, as what follows
        const std::uint32_t* const hash = hash_.data();
        for (std::size_t e = begin; e < end; ++e) ++count[hash[e] >> shift];
        for (Kept& one : kept) {
            const std::uint16_t least = one.least;
            std::int64_t runs = 0;
            for (std::size_t place = 0; place < places; place += 64) {
                std::uint8_t here = 0;
                for (std::size_t i = place; i < place + 64; ++i) here += count[i] >= least;
                runs += here;
            }
            one.counts.runs += runs;
            std::int64_t width = 0, all_off = 0;
            off_.clear();
            for (std::size_t i = first; i < last; ++i) {
                std::int64_t off = 0;
                for (std::size_t e = ends_[i]; e < ends_[i + 1]; ++e)
                    off += count[hash[e] >> shift] < least;
                width = std::max(width, off);
                all_off += off;
                off_.push_back(off);
            }
            if (width >= rule.least()) {
                width = rule.width(off_, c);
                for (const std::int64_t off : off_)
                    if (off > width) one.counts.beside += off;
            }
            one.counts.rest += width;
            one.counts.on += static_cast<std::int64_t>(end - begin) - all_off;
        }
        std::fill_n(count_.begin(), places, std::uint16_t{0});
    }

  private:
    static constexpr std::size_t kSpare = 8;  ///< places for each entry: few are shared

    std::vector<std::uint16_t> count_;  ///< entries of the diagonals of each place
    std::vector<std::uint32_t> hash_;   ///< of each entry's diagonal
    std::vector<std::size_t> ends_{0};  ///< of each row, behind a 0
    std::vector<std::int64_t> off_;     ///< entries of each row of a slice that are off diagonals
};

}  // namespace sptune::hdia
