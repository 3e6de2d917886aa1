// Which diagonals a thread has met.
#pragma once

#include "features/wide_loops.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sptune {

/// Marks for each diagonal, at column - row + rows - 1: one, or two where diagonals met here and
/// there are told apart. A byte each where that takes less time than bits: bytes are stored without
/// waiting for the last store to the same word, but there is more to clear and to read.
class DiagonalMarks {
  public:
    /// Clears all; keeps its memory. About `entries` are going to be marked.
    void reset(std::size_t diagonals, bool two, std::size_t entries) {
        constexpr std::size_t kManyDiagonals = std::size_t{1} << 22;  // no longer fit the caches
        constexpr std::size_t kBytesForAMark = 8;  // cleared and read while a store waits
        bytes_ = diagonals <= std::min(kManyDiagonals, kBytesForAMark * entries);
        log_bits_ = bytes_ ? 3 : two ? 1 : 0;
        words_.assign((diagonals << log_bits_) / 64 + 1, 0);
    }
    /// Gives memory back that is more than most matrices need: every thread has some.
    void rest() {
        constexpr std::size_t kMostKept = std::size_t{1} << 18;  // words
        if (words_.capacity() > kMostKept) words_ = {};
    }
    /// A diagonal is the lowest bits of its byte, or so many bits as it has marks.
    std::vector<std::uint64_t>& words() { return words_; }
    /// Marks, and diagonals that have one of two, in words [first, first + count).
    BitCounts met(std::size_t first, std::size_t count) const {
        return bytes_ ? count_low_bits(words_.data() + first, count)
                      : count_bits(words_.data() + first, count, 0x5555555555555555u);
    }
    /// The diagonal of bit `bit` of word `word`.
    std::int64_t diagonal(std::size_t word, int bit) const {
        return static_cast<std::int64_t>(word * 64 + static_cast<std::size_t>(bit)) >> log_bits_;
    }

    struct SetByte {
        std::uint8_t* marks;
        void operator()(std::uint64_t at) const { marks[at] = 1; }
    };
    struct AddToByte {
        std::uint8_t* marks;
        std::uint8_t mark;
        void operator()(std::uint64_t at) const { marks[at] |= mark; }
    };
    struct SetBit {
        std::uint64_t* words;
        int log_bits;
        std::uint64_t mark;
        void operator()(std::uint64_t at) const {
            at <<= log_bits;
            words[at >> 6] |= mark << (at & 63);
        }
    };
    /// Calls use(what sets a mark), of the only one.
    template <class Use>
    void with_mark(const Use& use) {
        bytes_ ? use(SetByte{bytes_of_words()}) : use(SetBit{words_.data(), 0, 1});
    }
    /// The same, of the one or the other of two.
    template <class Use>
    void with_mark_of_two(bool other, const Use& use) {
        const std::uint8_t mark = other ? 2 : 1;
        bytes_ ? use(AddToByte{bytes_of_words(), mark})
               : use(SetBit{words_.data(), log_bits_, mark});
    }

  private:
    std::uint8_t* bytes_of_words() { return reinterpret_cast<std::uint8_t*>(words_.data()); }

    std::vector<std::uint64_t> words_;
    bool bytes_ = true;
    int log_bits_ = 3;
};

}  // namespace sptune
