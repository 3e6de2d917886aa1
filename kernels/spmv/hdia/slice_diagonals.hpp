// Which diagonals of a slice are kept, and which of its entries lie on them.
#pragma once

#include "features/slot_table.hpp"
#include "kernels/spmv/long_rows.hpp"
#include "matrix/csr.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sptune::hdia {

/// An entry that lies on no kept diagonal.
inline constexpr index_t kOff = -1;

/// The entries of one slice by diagonal. Keeps its memory from slice to slice.
class SliceDiagonals {
  public:
    /// Upper bound of the diagonals that rows [first, last) meet.
    template <class T, class P>
    static std::int64_t most_diagonals(CsrView<T, P> a, std::int64_t first, std::int64_t last) {
        return std::min(static_cast<std::int64_t>(a.row_ptr[last] - a.row_ptr[first]),
                        std::int64_t{a.cols} + last - first);
    }
    /// Looks at rows [first, first + c), as far as there are any. A diagonal is kept that holds at
    /// least `percent` of c entries and reads nothing outside of x. `run_of` gets for each entry of
    /// these rows the number of its diagonal, counted from the left, or kOff. `rule` tells which
    /// rows are too long for a slice.
    template <class T, class P>
    void look(CsrView<T, P> a, index_t first, int c, int percent, const LongRowRule& rule,
              index_t* run_of) {
        const index_t last = std::min<index_t>(a.rows - first, c) + first;
        table_.reset(static_cast<std::size_t>(most_diagonals(a, first, last)));
        count_.clear();
        index_t* slot_of = run_of;
        for (index_t i = first; i < last; ++i)
            for (P k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
                // Column in the first row, moved by c: there it may lie left of the matrix.
                const auto key = static_cast<std::uint32_t>(a.col_idx[k]) -
                                 static_cast<std::uint32_t>(i - first) +
                                 static_cast<std::uint32_t>(c);
                const std::uint32_t slot = table_[key];
                if (slot == count_.size()) count_.push_back(0);
                ++count_[slot];
                *slot_of++ = static_cast<index_t>(slot);
            }
        number_kept(a.cols, c, percent);
        on_ = width_ = 0;
        off_.clear();
        for (index_t i = first; i < last; ++i) {
            const std::int64_t length = a.row_ptr[i + 1] - a.row_ptr[i];
            std::int64_t off = 0;
            for (const index_t* const end = run_of + length; run_of < end; ++run_of) {
                *run_of = run_[static_cast<std::size_t>(*run_of)];
                off += *run_of == kOff;
            }
            on_ += length - off;
            width_ = std::max(width_, off);
            off_.push_back(off);
        }
        rows_beside_ = entries_beside_ = 0;
        if (width_ < rule.least()) return;
        width_ = rule.width(off_, c);
        for (const std::int64_t off : off_)
            if (off > width_) ++rows_beside_, entries_beside_ += off;
    }
    /// Kept diagonals.
    std::int64_t runs() const { return static_cast<std::int64_t>(starts_.size()); }
    /// Entries on them.
    std::int64_t on() const { return on_; }
    /// Most entries of a row that are off them; a row that has more has them beside the slice.
    std::int64_t rest_width() const { return width_; }
    std::int64_t rows_beside() const { return rows_beside_; }
    std::int64_t entries_beside() const { return entries_beside_; }

  private:
    void number_kept(index_t cols, int c, int percent) {
        starts_.clear();
        run_.assign(count_.size(), kOff);
        for (std::size_t slot = 0; slot < count_.size(); ++slot) {
            const std::int64_t start = std::int64_t{table_.keys()[slot]} - c;
            if (std::int64_t{count_[slot]} * 100 >= std::int64_t{c} * percent && start >= 0 &&
                start + c <= cols)
                starts_.push_back({start, slot});
        }
        std::sort(starts_.begin(), starts_.end());
        for (std::size_t n = 0; n < starts_.size(); ++n)
            run_[starts_[n].second] = static_cast<index_t>(n);
    }

    SlotTable table_;                   ///< of diagonals
    std::vector<std::uint32_t> count_;  ///< entries of each slot
    std::vector<index_t> run_;          ///< of each slot: its number among the kept, or kOff
    std::vector<std::pair<std::int64_t, std::size_t>> starts_;  ///< column in the first row, slot
    std::int64_t on_ = 0, width_ = 0, rows_beside_ = 0, entries_beside_ = 0;
    std::vector<std::int64_t> off_;  ///< of each row
};

}  // namespace sptune::hdia
