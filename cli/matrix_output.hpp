// Writing a matrix in the format that the file's name asks for.
#pragma once

#include "matrix/market.hpp"
#include "matrix/spt.hpp"

#include <string>

namespace sptune::cli {

enum class MatrixFormat { market, spt };

/// By the ending: .mtx and .mtx.gz, or .spt. Throws UsageError naming the known endings.
MatrixFormat output_format(const std::string& path);

/// `comment` goes into Matrix Market files. Throws UsageError, Error.
template <class T, class P>
void write_matrix(const std::string& path, CsrView<T, P> matrix, const std::string& comment) {
    if (output_format(path) == MatrixFormat::spt)
        write_spt(path, matrix);
    else
        write_market(path, matrix, {.comment = comment, .threads = 0});
}

/// "1,000 × 1,000, 4,960 nonzeros, 61.2 KiB in 0.01 s": what was written, for people.
std::string written_summary(const std::string& path, std::int64_t rows, std::int64_t cols,
                            std::int64_t nnz, double seconds);

}  // namespace sptune::cli
