#include "matrix/atomic_file.hpp"
#include "matrix/error.hpp"
#include "matrix/market.hpp"
#include "matrix/parallel.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <vector>

#include <fmt/compile.h>
#include <fmt/format.h>
#include <zlib.h>

namespace sptune {

namespace {

using Text = fmt::memory_buffer;

void append(Text& out, std::string_view text) {
    out.append(text.data(), text.data() + text.size());
}

template <class T, class P>
Text head_of(CsrView<T, P> matrix, std::string_view comment) {
    Text head;
    append(head, "%%MatrixMarket matrix coordinate real general\n");
    while (!comment.empty()) {
        const std::size_t end = std::min(comment.find('\n'), comment.size());
        fmt::format_to(std::back_inserter(head), "% {}\n", comment.substr(0, end));
        comment.remove_prefix(std::min(end + 1, comment.size()));
    }
    fmt::format_to(std::back_inserter(head), "{} {} {}\n", matrix.rows, matrix.cols, matrix.nnz());
    return head;
}

/// Lines of the entries [begin, end).
template <class T, class P>
Text format_entries(const std::string& path, CsrView<T, P> matrix, P begin, P end) {
    Text text;
    const P* const pointers_end = matrix.row_ptr + matrix.rows + 1;
    auto row = static_cast<std::int64_t>(std::upper_bound(matrix.row_ptr, pointers_end, begin) -
                                         matrix.row_ptr - 1);
    for (P i = begin; i < end; ++i) {
        while (matrix.row_ptr[row + 1] <= i) ++row;
        if (!std::isfinite(matrix.values[i]))
            throw Error(
                fmt::format("cannot write {}: the value of row {}, column {} is {}, which "
                            "Matrix Market has no word for; scale the matrix",
                            path, row + 1, std::int64_t{matrix.col_idx[i]} + 1, matrix.values[i]));
        fmt::format_to(std::back_inserter(text), FMT_COMPILE("{} {} {}\n"), row + 1,
                       std::int64_t{matrix.col_idx[i]} + 1, matrix.values[i]);
    }
    return text;
}

/// One gzip member. Members may follow one another, so that pieces are compressed in parallel.
Text gzipped(const Text& text) {
    constexpr int kLevel = 4;
    z_stream stream{};
    if (deflateInit2(&stream, kLevel, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        throw OutOfMemory("zlib", sizeof(z_stream));
    Text out;
    out.resize(deflateBound(&stream, static_cast<uLong>(text.size())));
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

}  // namespace

template <class T, class P>
void write_market(const std::string& path, CsrView<T, P> matrix,
                  const MarketWriteOptions& options) {
    constexpr std::int64_t kPiece = std::int64_t{1} << 16;  // entries, about a MiB of text
    const bool gzip = path.ends_with(".gz");
    const auto packed = [gzip](Text text) { return gzip ? gzipped(text) : std::move(text); };
    const auto write = [](AtomicFile& file, const Text& text) {
        file.write({text.data(), text.size()});
    };
    const std::int64_t nnz = matrix.nnz();
    const int threads = thread_count(options.threads, static_cast<std::uint64_t>(nnz));

    AtomicFile file{path};
    write(file, packed(head_of(matrix, options.comment)));
    std::vector<Text> pieces(static_cast<std::size_t>(threads) * 4);
    const std::int64_t batch = kPiece * static_cast<std::int64_t>(pieces.size());
    for (std::int64_t first = 0; first < nnz; first += batch) {
        const auto here =
            static_cast<std::size_t>((std::min(batch, nnz - first) + kPiece - 1) / kPiece);
        parallel_for(threads, here, [&](int, std::size_t i) {
            const std::int64_t begin = first + static_cast<std::int64_t>(i) * kPiece;
            pieces[i] = packed(format_entries(path, matrix, static_cast<P>(begin),
                                              static_cast<P>(std::min(begin + kPiece, nnz))));
        });
        for (std::size_t i = 0; i < here; ++i) write(file, pieces[i]);
    }
    file.commit();
}

#define SPTUNE_INSTANTIATE(T, P) \
    template void write_market(const std::string&, CsrView<T, P>, const MarketWriteOptions&);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune
