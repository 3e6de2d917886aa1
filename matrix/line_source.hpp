// A text file, plain or gzip, as a sequence of blocks of whole lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace sptune {

class LineSource {
  public:
    /// Blocks are no larger than this, and so no line may be.
    static constexpr std::size_t kBlock = std::size_t{32} << 20;

    /// Recognises gzip by its first bytes, whatever the name. Throws InputError.
    static std::unique_ptr<LineSource> open(const std::string& path);
    virtual ~LineSource() = default;

    /// The next block, valid until the next call; empty at the end. Every line ends in '\n', the
    /// last one of the file too, so that a parser needs no other sentinel. Throws InputError for
    /// damaged gzip data and for a line beyond kBlock.
    virtual std::string_view next() = 0;
    /// From the beginning again, in the same blocks.
    virtual void rewind() = 0;

    virtual std::uint64_t bytes_done() const = 0;  ///< of the file on disk
    virtual std::uint64_t bytes_total() const = 0;
    /// Upper bound of the text, known without decompressing it.
    virtual std::uint64_t max_text_bytes() const = 0;
};

}  // namespace sptune
