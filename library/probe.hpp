// What a matrix in host memory looks like at some places: whether it still is the one that it was,
// at the price of a few cache misses that overlap.
#pragma once

#include "matrix/counter_random.hpp"
#include "matrix/types.hpp"
#include "sptune/sptune.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace sptune::library {

enum class Change { none, values, structure };

/// Places of one matrix and what stood there. They are kept, since telling them takes longer than
/// looking at them.
template <class T, class P>
class Probe {
  public:
    Probe() = default;
    explicit Probe(const csr_view<T, P>& a) {
        if (a.rows <= 0) return;
        nnz_ = a.row_ptr[a.rows];
        for (std::size_t i = 0; i < kPlaces; ++i) {
            rows_[i] = place(i, static_cast<std::uint64_t>(a.rows));
            entries_[i] = nnz_ > 0 ? place(i, static_cast<std::uint64_t>(nnz_)) : 0;
            runs_[i] = run_with(a.values, entries_[i]);
            diagonals_[i] = diagonal_of(a, rows_[i], entries_[i]);
        }
        look_at(a);
    }

    /// Arrays with as many rows as those that the places are for.
    Change compare(const csr_view<T, P>& a) const {
        if (a.rows <= 0) return Change::none;
        if (a.row_ptr[a.rows] != nnz_) return Change::structure;  // the places are not for these
        const Seen now = seen_at(a);
        // Bits: a zero may change its sign, and what is not a number is still the same.
        if (differ(now.starts, seen_.starts) || differ(now.columns, seen_.columns))
            return Change::structure;
        return differ(now.runs, seen_.runs) || differ(now.diagonals, seen_.diagonals)
                   ? Change::values
                   : Change::none;
    }

    /// What stands there now is what compare() compares with from here on.
    void look_at(const csr_view<T, P>& a) {
        if (a.rows > 0) seen_ = seen_at(a);
    }

  private:
    static constexpr std::size_t kPlaces = 16;
    static constexpr std::uint64_t kRun = 4;  ///< neighbours, of one cache line
    template <class V>
    using Places = std::array<V, kPlaces>;
    struct Seen {
        Places<P> starts{};
        Places<index_t> columns{};
        Places<std::array<T, kRun>> runs{};
        Places<T> diagonals{};
    };

    template <class V>
    static bool differ(const Places<V>& a, const Places<V>& b) {
        return std::memcmp(a.data(), b.data(), sizeof a) != 0;
    }

    Seen seen_at(const csr_view<T, P>& a) const {
        Seen seen;
        for (std::size_t i = 0; i < kPlaces; ++i) seen.starts[i] = a.row_ptr[rows_[i]];
        if (nnz_ <= 0) return seen;
        for (std::size_t i = 0; i < kPlaces; ++i) {
            seen.columns[i] = a.col_idx[entries_[i]];
            seen.diagonals[i] = a.values[diagonals_[i]];
            if (static_cast<std::uint64_t>(nnz_) >= kRun)
                std::memcpy(&seen.runs[i], a.values + runs_[i], sizeof seen.runs[i]);
            else
                seen.runs[i].front() = a.values[entries_[i]];
        }
        return seen;
    }

    /// Where kRun values begin, the one at `entry` among them: who changes one value in each row
    /// is unlikely to leave out all of them.
    std::uint64_t run_with(const T* values, std::uint64_t entry) const {
        const auto nnz = static_cast<std::uint64_t>(nnz_);
        const std::uint64_t before =
            (reinterpret_cast<std::uintptr_t>(values) / sizeof(T) + entry) % kRun;
        if (nnz < kRun) return 0;
        return std::min(entry >= before ? entry - before : 0, nnz - kRun);
    }

    /// The entry on the diagonal of `row`, which is what a shift changes; `otherwise` where there
    /// is none among the first thousands.
    std::uint64_t diagonal_of(const csr_view<T, P>& a, std::uint64_t row,
                              std::uint64_t otherwise) const {
        constexpr P kMost = 4096;
        const P begin = std::max<P>(a.row_ptr[row], 0), end = std::min(a.row_ptr[row + 1], nnz_);
        for (P k = begin; k < end && k - begin < kMost; ++k)
            if (static_cast<std::uint64_t>(a.col_idx[k]) == row)
                return static_cast<std::uint64_t>(k);
        return otherwise;
    }

    /// Somewhere in part `i` of kPlaces equal parts of `count`: so each of as many as there are
    /// places, or fewer, has one. The last place is the last of all.
    static std::uint64_t place(std::uint64_t i, std::uint64_t count) {
        // Not count · i, which may be too large.
        const auto begin_of = [&](std::uint64_t part) {
            return count / kPlaces * part + count % kPlaces * part / kPlaces;
        };
        const std::uint64_t begin = begin_of(i), end = begin_of(i + 1);
        if (i + 1 == kPlaces) return count - 1;
        return begin + (end > begin + 1 ? mix64(i) % (end - begin) : 0);
    }

    P nnz_ = 0;
    Places<std::uint64_t> rows_{}, entries_{}, runs_{}, diagonals_{};
    Seen seen_;
};

}  // namespace sptune::library
