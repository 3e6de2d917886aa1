// Triplets in, CSR out: the counting sort behind the readers and conversions.
#pragma once

#include "matrix/csr.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sptune {

/// `count` entries; a row of -1 marks one to be left out. values == nullptr: all are 1.
template <class T>
struct Triplets {
    std::size_t count = 0;
    const index_t* rows = nullptr;
    const index_t* cols = nullptr;
    const T* values = nullptr;
};

/// What else an entry off the diagonal puts at its mirror image.
enum class Mirror { none, same, negated };

/// Makes a sorted CSR of triplets that come in batches, each of them seen twice: first count()
/// for all batches, then start_placing(), then place() for all batches again, then finish().
/// Needs no memory beyond the result (duplicates included) and a sorting buffer as long as the
/// longest unsorted row, per thread.
///
/// Every thread owns a range of rows and walks all triplets, taking its own. That keeps the order
/// of the input within each row for any number of threads, so duplicates are summed in that order
/// and rows that arrive sorted need no sort. The walk costs 4 bytes of traffic per entry and
/// thread, little beside making the triplets.
template <class T, class P>
class CsrBuilder {
  public:
    /// Triplets must lie in rows × cols. threads as in thread_count().
    CsrBuilder(index_t rows, index_t cols, Mirror mirror, int threads);

    void count(std::span<const Triplets<T>> batch);

    /// Allocates the result. Returns the number of entries counted; where P cannot hold it, does
    /// nothing else. Throws OutOfMemory.
    std::uint64_t start_placing();

    void place(std::span<const Triplets<T>> batch);

    /// Sorts rows, sums duplicates.
    Csr<T, P> finish();

    /// The first place whose duplicates have no finite sum. Once finished.
    struct Place {
        index_t row = 0, col = 0;
    };
    std::optional<Place> overflow() const { return overflow_; }

  private:
    template <class Visit>
    void for_owned(std::span<const Triplets<T>> batch, Visit visit) const;
    void split_evenly();
    void split_by_entries(std::uint64_t total);
    bool sort_rows();
    void close_gaps();

    Mirror mirror_;
    int threads_;
    Csr<T, P> csr_;
    std::optional<Place> overflow_;
    std::vector<index_t> owners_;  // thread t owns the rows [owners_[t], owners_[t + 1])
};

}  // namespace sptune
