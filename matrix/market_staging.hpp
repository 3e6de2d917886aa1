// Inside of the Matrix Market reader: a bounded buffer of parsed entries.
#pragma once

#include "matrix/csr_builder.hpp"
#include "matrix/market_header.hpp"
#include "matrix/market_parse.hpp"
#include "matrix/parallel.hpp"
#include "matrix/partition_point.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace sptune::detail {

/// Entries of one or more blocks of text, parsed in parallel by chunks of lines. A chunk lands
/// wherever there is room when its thread is done; `parts()` gives the chunks in file order.
template <class T>
class MarketStaging {
  public:
    /// Bytes that one entry takes.
    static constexpr std::size_t entry_bytes(const MarketHeader& header) {
        return 2 * sizeof(index_t) + (header.field == MarketField::pattern ? 0 : sizeof(T));
    }

    MarketStaging(const MarketHeader& header, std::size_t capacity, int threads)
        : header_(header),
          capacity_(capacity),
          room_per_chunk_(kChunk / min_line_bytes(header.layout) + 2),
          rows_(capacity),
          cols_(capacity),
          values_(header.field == MarketField::pattern ? 0 : capacity) {
        for (int t = 0; t < threads; ++t)
            scratch_.push_back({Buffer<index_t>(room_per_chunk_), Buffer<index_t>(room_per_chunk_),
                                Buffer<T>(room_per_chunk_)});
    }

    /// Appends the entries of `block`, which ends in '\n'; the first of them is number `first` of
    /// the file. Returns how many the text holds, which may be more than there was room for.
    /// Throws the first ParseFault in the order of the text.
    std::uint64_t parse(std::string_view block, std::uint64_t first, ParsePass pass) {
        const std::size_t chunks = (block.size() + kChunk - 1) / kChunk;
        const std::size_t before = parts_.size();
        parts_.resize(before + chunks);
        std::optional<ParseFault> fault;
        std::atomic<std::size_t> first_fault{chunks};
        std::atomic<std::uint64_t> entries{0};
        std::mutex mutex;
        parallel_for(threads(), chunks, [&](int thread, std::size_t i) {
            if (i > first_fault) return;
            try {
                entries +=
                    parse_chunk(chunk_start(block, i), chunk_start(block, i + 1), pass,
                                scratch_[static_cast<std::size_t>(thread)], parts_[before + i]);
            } catch (const ParseFault& found) {
                const std::lock_guard lock(mutex);
                if (i < first_fault) {
                    first_fault = i;
                    fault = found;
                }
            }
        });
        if (fault) throw *fault;
        if (header_.layout == MarketLayout::array)
            place_array_values(std::span(parts_).subspan(before), first);
        return entries;
    }

    std::span<const Triplets<T>> parts() const { return parts_; }
    void clear() {
        parts_.clear();
        used_ = 0;
    }

  private:
    // Small enough for its entries to stay in a core's own cache.
    static constexpr std::size_t kChunk = std::size_t{128} << 10;

    struct Scratch {
        Buffer<index_t> rows, cols;
        Buffer<T> values;
    };

    int threads() const { return static_cast<int>(scratch_.size()); }

    static const char* chunk_start(std::string_view block, std::size_t i) {
        const std::size_t at = i * kChunk;
        if (at == 0) return block.data();
        if (at >= block.size()) return block.data() + block.size();
        return block.data() + block.find('\n', at - 1) + 1;
    }

    std::size_t parse_chunk(const char* begin, const char* end, ParsePass pass, Scratch& s,
                            Triplets<T>& part) {
        const EntrySink<T> sink{s.rows.data(), s.cols.data(), s.values.data()};
        const std::size_t count = parse_market_lines<T>(begin, end, header_, pass, sink);
        const std::size_t at = used_.fetch_add(count);
        if (count == 0 || at + count > capacity_) return count;
        part = {count, rows_.data() + at, cols_.data() + at,
                values_.empty() ? nullptr : values_.data() + at};
        if (header_.layout == MarketLayout::coordinate) {
            std::copy_n(s.rows.data(), count, rows_.data() + at);
            std::copy_n(s.cols.data(), count, cols_.data() + at);
        }
        if (!values_.empty() && pass == ParsePass::all)
            std::copy_n(s.values.data(), count, values_.data() + at);
        return count;
    }

    /// Gives array values their rows and columns. Zeros are marked to be left out.
    void place_array_values(std::span<const Triplets<T>> parts, std::uint64_t first);

    MarketHeader header_;
    std::size_t capacity_, room_per_chunk_;
    Buffer<index_t> rows_, cols_;
    Buffer<T> values_;
    std::atomic<std::size_t> used_{0};
    std::vector<Triplets<T>> parts_;
    std::vector<Scratch> scratch_;
};

/// Walks the places of an array file: column by column, from the diagonal or below it down where
/// only that half is stored.
class ArrayCursor {
  public:
    ArrayCursor(const MarketHeader& header, std::uint64_t entry) : header_(header) {
        const auto at = static_cast<std::int64_t>(entry);
        // The last column that starts at or before the entry.
        col_ = partition_point(std::int64_t{1}, std::int64_t{header.cols},
                               [&](std::int64_t j) { return entries_before(j) <= at; }) -
               1;
        row_ = first_row() + at - entries_before(col_);
    }
    index_t row() const { return static_cast<index_t>(row_); }
    index_t col() const { return static_cast<index_t>(col_); }
    void advance() {
        if (++row_ == header_.rows) {
            ++col_;
            row_ = first_row();
        }
    }

  private:
    std::int64_t first_row() const {
        if (header_.symmetry == MarketSymmetry::general) return 0;
        return col_ + (header_.symmetry == MarketSymmetry::skew_symmetric);
    }
    std::int64_t entries_before(std::int64_t col) const {
        if (header_.symmetry == MarketSymmetry::general) return col * header_.rows;
        const bool skew = header_.symmetry == MarketSymmetry::skew_symmetric;
        return col * (header_.rows - skew) - col * (col - 1) / 2;
    }

    MarketHeader header_;
    std::int64_t row_ = 0, col_ = 0;
};

template <class T>
void MarketStaging<T>::place_array_values(std::span<const Triplets<T>> parts, std::uint64_t first) {
    std::vector<std::uint64_t> starts;
    for (const Triplets<T>& part : parts) {
        starts.push_back(first);
        first += part.count;
    }
    parallel_for(threads(), parts.size(), [&](int, std::size_t i) {
        if (parts[i].count == 0) return;
        const auto at = static_cast<std::size_t>(parts[i].rows - rows_.data());
        ArrayCursor cursor(header_, starts[i]);
        for (std::size_t k = at; k < at + parts[i].count; ++k, cursor.advance()) {
            rows_[k] = values_[k] != T(0) ? cursor.row() : index_t{-1};
            cols_[k] = values_[k] != T(0) ? cursor.col() : index_t{-1};
        }
    });
}

}  // namespace sptune::detail
