// Which diagonals a thread has met.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sptune {

/// One mark for each diagonal, at column - row + rows - 1. A byte each while that fits the caches:
/// bytes are stored without waiting for the last store to the same word, as bits are not.
class DiagonalMarks {
  public:
    /// Clears all; keeps its memory.
    void reset(std::size_t diagonals) {
        constexpr std::size_t kManyDiagonals = std::size_t{1} << 22;
        bytes_ = diagonals <= kManyDiagonals;
        words_.assign(bytes_ ? diagonals / 8 + 1 : diagonals / 64 + 1, 0);
    }
    bool bytes() const { return bytes_; }
    /// A mark is the lowest bit of its byte, or its bit.
    std::vector<std::uint64_t>& words() { return words_; }
    /// The diagonal of bit `bit` of word `word`.
    std::int64_t diagonal(std::size_t word, int bit) const {
        return static_cast<std::int64_t>(word * 64 + static_cast<std::size_t>(bit)) >>
               (bytes_ ? 3 : 0);
    }

    struct SetByte {
        std::uint8_t* marks;
        void operator()(std::uint64_t at) const { marks[at] = 1; }
    };
    struct SetBit {
        std::uint64_t* words;
        void operator()(std::uint64_t at) const { words[at >> 6] |= std::uint64_t{1} << (at & 63); }
    };
    SetByte set_byte() { return {reinterpret_cast<std::uint8_t*>(words_.data())}; }
    SetBit set_bit() { return {words_.data()}; }

  private:
    std::vector<std::uint64_t> words_;
    bool bytes_ = true;
};

}  // namespace sptune
