// Where the rows of C wait until it is known where they belong.
#pragma once

#include "matrix/buffer.hpp"
#include "matrix/lasting.hpp"
#include "matrix/types.hpp"

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

namespace sptune::spgemm_cpu {

/// Room for finished rows.
template <class T>
struct RowBlock {
    static constexpr std::size_t kEntries = std::size_t{1} << 18;
    explicit RowBlock(std::size_t entries) : cols(entries), values(entries) {}
    Buffer<index_t> cols;
    Buffer<T> values;
};

/// Blocks of the usual size are kept for the next product, up to 96 MiB of f64: the system needs as
/// long to clear their pages as a product of short rows to fill them.
template <class T>
class RowBlockPool {
  public:
    static RowBlockPool& instance() {
        static RowBlockPool& pool = lasting<RowBlockPool>();
        return pool;
    }
    RowBlock<T> take(std::size_t entries) {
        if (entries > RowBlock<T>::kEntries) return RowBlock<T>(entries);
        const std::lock_guard lock(mutex_);
        free_.reserve(kMost);  // so that give() need not
        if (free_.empty()) return RowBlock<T>(RowBlock<T>::kEntries);
        RowBlock<T> block = std::move(free_.back());
        free_.pop_back();
        return block;
    }
    void give(RowBlock<T> block) noexcept {
        if (block.cols.size() != RowBlock<T>::kEntries) return;
        const std::lock_guard lock(mutex_);
        if (free_.size() < kMost) free_.push_back(std::move(block));
    }

  private:
    static constexpr std::size_t kMost = 32;
    std::mutex mutex_;
    std::vector<RowBlock<T>> free_;
};

/// Finished rows of unknown number of entries, in blocks that are never moved.
template <class T>
class RowStore {
  public:
    struct Stretch {  ///< rows [first, last), whose entries lie in one piece
        index_t first, last;
        const index_t* cols;
        const T* values;
    };

    RowStore() = default;
    RowStore(RowStore&&) = default;
    RowStore& operator=(RowStore&&) = delete;
    ~RowStore() {
        for (RowBlock<T>& block : blocks_) RowBlockPool<T>::instance().give(std::move(block));
    }

    /// Room for `entries`, behind what was added before.
    std::pair<index_t*, T*> room(index_t row, std::size_t entries) {
        const bool full = blocks_.empty() || blocks_.back().cols.size() - used_ < entries;
        if (full) {
            blocks_.push_back(RowBlockPool<T>::instance().take(entries));
            used_ = 0;
        }
        index_t* const cols = blocks_.back().cols.data() + used_;
        T* const values = blocks_.back().values.data() + used_;
        if (full || stretches_.back().last != row) stretches_.push_back({row, row, cols, values});
        return {cols, values};
    }
    void added(index_t row, std::size_t entries) {
        used_ += entries;
        stretches_.back().last = row + 1;
    }
    /// Bound of the room that `stores` take together for `entries` in rows of at most `longest`: a
    /// block is closed when the next row may not fit what is left of it.
    static std::uint64_t most_entries(std::uint64_t entries, std::uint64_t longest,
                                      std::uint64_t stores) {
        constexpr std::uint64_t kBlock = RowBlock<T>::kEntries;
        const std::uint64_t lost =
            2 * longest < kBlock ? entries / (kBlock - longest) * longest : entries;
        return entries + lost + stores * kBlock;
    }

    const std::vector<Stretch>& stretches() const { return stretches_; }

  private:
    std::vector<RowBlock<T>> blocks_;
    std::vector<Stretch> stretches_;
    std::size_t used_ = 0;
};

}  // namespace sptune::spgemm_cpu
