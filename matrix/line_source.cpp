#include "matrix/line_source.hpp"

#include "matrix/buffer.hpp"
#include "matrix/error.hpp"
#include "matrix/mapped_file.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <zlib.h>

namespace sptune {

namespace {

[[noreturn]] void refuse_long_line(const std::string& path) {
    throw InputError(path, 0,
                     "has a line of more than " + std::to_string(LineSource::kBlock >> 20) +
                         " MiB; expected a text file with short lines");
}

class PlainLines final : public LineSource {
  public:
    PlainLines(std::string path, std::unique_ptr<MappedFile> file)
        : path_(std::move(path)), file_(std::move(file)) {}

    std::string_view next() override {
        const std::string_view text = file_->bytes();
        file_->release_before(done_);
        if (done_ == text.size()) return {};
        std::string_view block = text.substr(done_, kBlock);
        const std::size_t newline = block.rfind('\n');
        if (newline != std::string_view::npos) {
            block = block.substr(0, newline + 1);
        } else if (done_ + block.size() < text.size() || block.size() == kBlock) {
            refuse_long_line(path_);
        } else {
            last_line_.assign(block).push_back('\n');
            done_ = text.size();
            return last_line_;
        }
        done_ += block.size();
        return block;
    }
    void rewind() override { done_ = 0; }
    std::uint64_t bytes_done() const override { return done_; }
    std::uint64_t bytes_total() const override { return file_->bytes().size(); }
    std::uint64_t max_text_bytes() const override { return bytes_total(); }

  private:
    std::string path_;
    std::unique_ptr<MappedFile> file_;
    std::size_t done_ = 0;
    std::string last_line_;
};

constexpr std::string_view kGzipMagic = "\x1f\x8b";

class GzipLines final : public LineSource {
  public:
    GzipLines(std::string path, std::unique_ptr<MappedFile> file)
        : path_(std::move(path)), file_(std::move(file)), text_(kBlock) {
        // 16: a gzip head is expected, not a zlib one.
        if (inflateInit2(&stream_, 16 + MAX_WBITS) != Z_OK)
            throw OutOfMemory("zlib", sizeof(z_stream));
    }
    ~GzipLines() override { inflateEnd(&stream_); }
    GzipLines(const GzipLines&) = delete;
    GzipLines& operator=(const GzipLines&) = delete;

    std::string_view next() override {
        const std::size_t left_over = filled_ - returned_;
        std::memmove(text_.data(), text_.data() + returned_, left_over);
        filled_ = left_over;
        returned_ = 0;
        const std::size_t wanted = std::exchange(wanted_, kBlock - 1);
        while (filled_ < wanted && !ended_) inflate_some(wanted);
        file_->release_before(done_);
        if (filled_ == 0) return {};
        const std::string_view text(text_.data(), filled_);
        std::size_t newline = text.rfind('\n');
        if (newline == std::string_view::npos) {
            if (!ended_) {
                if (filled_ >= kBlock - 1) refuse_long_line(path_);
                return next();
            }
            newline = filled_;
            text_[filled_++] = '\n';
        }
        returned_ = newline + 1;
        return {text_.data(), returned_};
    }
    void rewind() override {
        inflateReset(&stream_);
        done_ = filled_ = returned_ = 0;
        ended_ = false;
        wanted_ = kFirst;  // so that the blocks are the same again
    }
    std::uint64_t bytes_done() const override { return done_; }
    std::uint64_t bytes_total() const override { return file_->bytes().size(); }
    // Deflate cannot do better than 1032:1 (zlib's technical notes).
    std::uint64_t max_text_bytes() const override { return bytes_total() * 1032; }

  private:
    // The header needs little text; whoever asks for it only should not wait for more.
    static constexpr std::size_t kFirst = std::size_t{1} << 16;

    void inflate_some(std::size_t wanted) {
        const std::string_view input = file_->bytes().substr(done_);
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
        stream_.avail_in = static_cast<uInt>(std::min(input.size(), std::size_t{1} << 30));
        stream_.next_out = reinterpret_cast<Bytef*>(text_.data() + filled_);
        stream_.avail_out = static_cast<uInt>(wanted - filled_);
        const uInt given = stream_.avail_in;
        const int result = inflate(&stream_, Z_NO_FLUSH);
        done_ += given - stream_.avail_in;
        filled_ = wanted - stream_.avail_out;
        if (result == Z_STREAM_END) {
            // Members may follow one another; zeros behind the last are padding, as gzip has it.
            const std::string_view rest = file_->bytes().substr(done_);
            ended_ = !rest.starts_with(kGzipMagic);
            if (ended_ && rest.find_first_not_of('\0') != std::string_view::npos)
                throw InputError(path_, 0,
                                 "has other bytes behind its gzip data; expected what gzip wrote");
            inflateReset(&stream_);
        } else if (result == Z_BUF_ERROR ||
                   (result == Z_OK && done_ == bytes_total() && stream_.avail_out > 0)) {
            throw InputError(path_, 0, "ends in the middle of its gzip data; expected all of it");
        } else if (result != Z_OK) {
            throw InputError(path_, 0,
                             std::string("has damaged gzip data (") +
                                 (stream_.msg ? stream_.msg : "unknown reason") +
                                 "); expected what gzip wrote");
        }
    }

    std::string path_;
    std::unique_ptr<MappedFile> file_;
    z_stream stream_{};
    Buffer<char> text_;
    std::size_t wanted_ = kFirst;
    std::size_t done_ = 0;      // compressed bytes consumed
    std::size_t filled_ = 0;    // bytes in text_
    std::size_t returned_ = 0;  // of them, given out by next()
    bool ended_ = false;
};

}  // namespace

std::unique_ptr<LineSource> LineSource::open(const std::string& path) {
    auto file = std::make_unique<MappedFile>(path);
    if (file->bytes().starts_with(kGzipMagic))
        return std::make_unique<GzipLines>(path, std::move(file));
    return std::make_unique<PlainLines>(path, std::move(file));
}

}  // namespace sptune
