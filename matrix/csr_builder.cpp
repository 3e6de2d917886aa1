#include "matrix/csr_builder.hpp"

#include "matrix/memory.hpp"
#include "matrix/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <type_traits>
#include <utility>

namespace sptune {

namespace {

// Columns of a removed duplicate, all at the end of their row.
constexpr index_t kRemoved = -1;

/// Sorts one row by column; equal columns keep their order.
template <class T>
class RowSorter {
  public:
    void sort(index_t* cols, T* values, std::size_t n) {
        if (n <= kInsertion)
            insert(cols, values, n);
        else
            sort_keys(cols, values, n);
    }

  private:
    static constexpr std::size_t kInsertion = 32;
    static constexpr int kPositionBits = 33;  // what a 31-bit column leaves of 64

    static void insert(index_t* cols, T* values, std::size_t n) {
        for (std::size_t i = 1; i < n; ++i) {
            const index_t col = cols[i];
            const T value = values[i];
            std::size_t j = i;
            for (; j > 0 && cols[j - 1] > col; --j) {
                cols[j] = cols[j - 1];
                values[j] = values[j - 1];
            }
            cols[j] = col;
            values[j] = value;
        }
    }

    void sort_keys(index_t* cols, T* values, std::size_t n) {
        if (n >> kPositionBits) throw Error("a row of more than 2^33 entries cannot be sorted");
        if (keys_.size() < n) {
            keys_ = Buffer<std::uint64_t>(n);
            old_values_ = Buffer<T>(n);
        }
        for (std::size_t i = 0; i < n; ++i)
            keys_[i] = static_cast<std::uint64_t>(cols[i]) << kPositionBits | i;
        std::copy_n(values, n, old_values_.data());
        std::sort(keys_.data(), keys_.data() + n);
        for (std::size_t i = 0; i < n; ++i) {
            cols[i] = static_cast<index_t>(keys_[i] >> kPositionBits);
            values[i] = old_values_[keys_[i] & ((std::uint64_t{1} << kPositionBits) - 1)];
        }
    }

    Buffer<std::uint64_t> keys_;
    Buffer<T> old_values_;
};

bool is_increasing(const index_t* cols, std::size_t n) {
    for (std::size_t i = 1; i < n; ++i)
        if (cols[i - 1] >= cols[i]) return false;
    return true;
}

/// Sums neighbours of the same column. Returns how many entries are left; the rest is kRemoved.
template <class T>
std::size_t sum_duplicates(index_t* cols, T* values, std::size_t n) {
    std::size_t kept = 0;
    for (std::size_t i = 1; i < n; ++i) {
        if (cols[i] == cols[kept]) {
            values[kept] += values[i];
        } else {
            ++kept;
            cols[kept] = cols[i];
            values[kept] = values[i];
        }
    }
    std::fill(cols + kept + 1, cols + n, kRemoved);
    return kept + 1;
}

}  // namespace

template <class T, class P>
CsrBuilder<T, P>::CsrBuilder(index_t rows, index_t cols, Mirror mirror, int threads)
    : mirror_(mirror), threads_(thread_count(threads)) {
    const std::size_t pointers = static_cast<std::size_t>(rows) + 1;
    require_memory("the row pointer", pointers * sizeof(P));
    csr_.rows = rows;
    csr_.cols = cols;
    csr_.row_ptr = Buffer<P>(pointers);
    std::fill(csr_.row_ptr.begin(), csr_.row_ptr.end(), P{0});
    split_evenly();
}

template <class T, class P>
template <class Visit>
void CsrBuilder<T, P>::for_owned(std::span<const Triplets<T>> batch, Visit visit) const {
    const T sign = mirror_ == Mirror::negated ? T(-1) : T(1);
    const bool mirrored = mirror_ != Mirror::none;
    parallel_for(threads_, static_cast<std::size_t>(threads_), [&](int, std::size_t t) {
        const auto first = static_cast<std::uint32_t>(owners_[t]);
        const auto length = static_cast<std::uint32_t>(owners_[t + 1]) - first;
        const auto owned = [=](index_t row) {
            return static_cast<std::uint32_t>(row) - first < length;  // false for -1
        };
        for (const Triplets<T>& part : batch) {
            const T* values = part.values;
            for (std::size_t i = 0; i < part.count; ++i) {
                const index_t row = part.rows[i], col = part.cols[i];
                if (owned(row)) visit(row, col, [=] { return values ? values[i] : T(1); });
                if (mirrored && row != col && owned(col))
                    visit(col, row, [=] { return sign * (values ? values[i] : T(1)); });
            }
        }
    });
}

template <class T, class P>
void CsrBuilder<T, P>::count(std::span<const Triplets<T>> batch) {
    // Unsigned: start_placing() may find that a signed count would have overflowed.
    auto* counts = reinterpret_cast<std::make_unsigned_t<P>*>(csr_.row_ptr.data()) + 1;
    for_owned(batch, [counts](index_t row, index_t, auto) { ++counts[row]; });
}

template <class T, class P>
std::uint64_t CsrBuilder<T, P>::start_placing() {
    // Afterwards row_ptr[r + 1] is where the next entry of row r goes; when all are placed, that
    // is where the next row starts.
    auto* counts = reinterpret_cast<std::make_unsigned_t<P>*>(csr_.row_ptr.data()) + 1;
    std::uint64_t total = 0;
    for (index_t r = 0; r < csr_.rows; ++r)
        total += std::exchange(counts[r], static_cast<std::make_unsigned_t<P>>(total));
    if (total > static_cast<std::uint64_t>(std::numeric_limits<P>::max())) return total;
    require_memory("the matrix", total * (sizeof(index_t) + sizeof(T)));
    csr_.col_idx = Buffer<index_t>(total);
    csr_.values = Buffer<T>(total);
    split_by_entries(total);
    return total;
}

template <class T, class P>
void CsrBuilder<T, P>::place(std::span<const Triplets<T>> batch) {
    P* next = csr_.row_ptr.data() + 1;
    index_t* cols = csr_.col_idx.data();
    T* values = csr_.values.data();
    for_owned(batch, [=](index_t row, index_t col, auto value) {
        const P at = next[row]++;
        cols[at] = col;
        values[at] = value();
    });
}

template <class T, class P>
Csr<T, P> CsrBuilder<T, P>::finish() {
    if (sort_rows()) close_gaps();
    return std::move(csr_);
}

template <class T, class P>
void CsrBuilder<T, P>::split_evenly() {
    owners_.resize(static_cast<std::size_t>(threads_) + 1);
    for (int t = 0; t <= threads_; ++t)
        owners_[t] = static_cast<index_t>(std::int64_t{csr_.rows} * t / threads_);
}

template <class T, class P>
void CsrBuilder<T, P>::split_by_entries(std::uint64_t total) {
    const P* starts = csr_.row_ptr.data() + 1;
    for (int t = 1; t < threads_; ++t) {
        const auto share = static_cast<P>(total / threads_ * t);
        owners_[t] =
            static_cast<index_t>(std::lower_bound(starts, starts + csr_.rows, share) - starts);
    }
}

template <class T, class P>
bool CsrBuilder<T, P>::sort_rows() {
    constexpr std::size_t kPiece = 1024;  // rows
    const auto rows = static_cast<std::size_t>(csr_.rows);
    std::vector<RowSorter<T>> sorters(static_cast<std::size_t>(threads_));
    std::atomic<bool> any_removed = false;
    std::mutex overflow_mutex;
    parallel_for(threads_, (rows + kPiece - 1) / kPiece, [&](int thread, std::size_t piece) {
        for (std::size_t r = piece * kPiece; r < std::min(rows, (piece + 1) * kPiece); ++r) {
            const P begin = csr_.row_ptr[r];
            const auto n = static_cast<std::size_t>(csr_.row_ptr[r + 1] - begin);
            index_t* cols = csr_.col_idx.data() + begin;
            T* values = csr_.values.data() + begin;
            if (is_increasing(cols, n)) continue;
            sorters[static_cast<std::size_t>(thread)].sort(cols, values, n);
            const std::size_t kept = sum_duplicates(cols, values, n);
            if (kept == n) continue;
            any_removed = true;
            const T* const infinite =
                std::find_if_not(values, values + kept, [](T v) { return std::isfinite(v); });
            if (infinite == values + kept) continue;
            const std::lock_guard lock(overflow_mutex);
            if (const auto row = static_cast<index_t>(r); !overflow_ || row < overflow_->row)
                overflow_ = Place{row, cols[infinite - values]};
        }
    });
    return any_removed;
}

template <class T, class P>
void CsrBuilder<T, P>::close_gaps() {
    index_t* cols = csr_.col_idx.data();
    T* values = csr_.values.data();
    P out = 0;
    P begin = 0;
    for (std::size_t r = 1; r <= static_cast<std::size_t>(csr_.rows); ++r) {
        const P end = std::exchange(csr_.row_ptr[r], P{0});
        for (P i = begin; i < end && cols[i] != kRemoved; ++i, ++out) {
            cols[out] = cols[i];
            values[out] = values[i];
        }
        csr_.row_ptr[r] = out;
        begin = end;
    }
    csr_.col_idx.truncate(static_cast<std::size_t>(out));
    csr_.values.truncate(static_cast<std::size_t>(out));
}

#define SPTUNE_INSTANTIATE(T, P) template class CsrBuilder<T, P>;
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune
