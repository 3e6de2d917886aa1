// Matrix Market text files: the format people bring their matrices in.
// Source of the format: "The Matrix Market Exchange Formats", Boisvert, Pozo, Remington, NIST 1996.
#pragma once

#include "matrix/csr.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace sptune {

enum class MarketLayout { coordinate, array };
enum class MarketField { real, integer, pattern, complex };
enum class MarketSymmetry { general, symmetric, skew_symmetric, hermitian };

/// The banner and the size line.
struct MarketHeader {
    MarketLayout layout = MarketLayout::coordinate;
    MarketField field = MarketField::real;
    MarketSymmetry symmetry = MarketSymmetry::general;
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    std::int64_t entries = 0;        ///< lines of data that the file promises
    std::uint64_t header_lines = 0;  ///< lines up to and including the size line

    /// Upper bound of the nonzeros after mirroring: decides between 32- and 64-bit row pointers.
    std::int64_t max_nnz() const {
        return symmetry == MarketSymmetry::general ? entries : 2 * entries;
    }
};

struct MarketReadOptions {
    int threads = 0;  ///< 0: all that OpenMP offers
    /// Called now and then from the reading thread with (bytes done, bytes in all); may be empty.
    std::function<void(std::uint64_t, std::uint64_t)> progress;
    /// Files whose parsed entries fit in so many bytes are parsed once, larger ones twice (count,
    /// then place) with a buffer for 32 MiB of text. Changes time and memory only.
    std::size_t staging_bytes = std::size_t{256} << 20;
};

/// Reads the header of `path` (.mtx or .mtx.gz). Throws InputError.
MarketHeader read_market_header(const std::string& path);

/// Reads `path` into CSR: symmetric halves mirrored, duplicates summed in a fixed order, columns
/// sorted, pattern entries 1. Explicit zeros are kept in coordinate files and dropped from arrays.
/// Complex files are refused by name, and so are values, and sums of duplicates,
/// that are not finite or do not fit T.
/// Entries in the upper half of a symmetric file are mirrored like the others: a file that holds
/// both halves has every value off the diagonal doubled, as the duplicates they are.
/// P = std::int32_t is refused with InputError when the result would pass 2^31 - 1 nonzeros, before
/// duplicates are summed.
/// Memory: the result plus one bounded buffer, whatever the size of the file.
/// Throws InputError (file, line, what was expected) and OutOfMemory.
template <class T, class P = std::int32_t>
Csr<T, P> read_market(const std::string& path, const MarketReadOptions& options = {});

struct MarketWriteOptions {
    std::string comment;  ///< put behind the banner, each line after a %
    int threads = 0;      ///< 0: all that OpenMP offers
};

/// Writes "coordinate real general"; gzip where `path` ends in .gz. Values are written with the
/// fewest digits that read back to the same bits. The file appears under its name only when it is
/// complete. Throws Error when the disk refuses.
template <class T, class P>
void write_market(const std::string& path, CsrView<T, P> matrix,
                  const MarketWriteOptions& options = {});

}  // namespace sptune
