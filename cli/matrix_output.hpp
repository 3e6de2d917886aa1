// Writing a matrix in the format that the file's name asks for.
#pragma once

#include "matrix/block_text.hpp"
#include "matrix/error.hpp"
#include "matrix/market.hpp"
#include "matrix/spt.hpp"

#include <string>
#include <type_traits>

namespace sptune::cli {

enum class MatrixFormat { market, spt, blocks };

/// By the ending: .mtx and .mtx.gz, .spt, or .bsm. Throws UsageError naming the known endings.
MatrixFormat output_format(const std::string& path);

/// The same where there are no blocks to write: .bsm is refused, too.
MatrixFormat plain_format(const std::string& path);

/// The options are for Matrix Market files. Throws UsageError, for .bsm too, and Error.
template <class T, class P>
void write_matrix(const std::string& path, CsrView<T, P> matrix,
                  const MarketWriteOptions& options) {
    if (plain_format(path) == MatrixFormat::spt) return write_spt(path, matrix);
    write_market(path, matrix, options);
}

/// The same for a block matrix in any format; others than .bsm leave out zeros. Returns how many
/// numbers were written.
template <class V>
std::int64_t write_block_matrix(const std::string& path, const BlockCsr<V>& matrix,
                                const MarketWriteOptions& options) {
    if (output_format(path) == MatrixFormat::blocks) {
        write_blocks(path, matrix, options.comment);
        return static_cast<std::int64_t>(matrix.values.size());
    }
    using T = std::conditional_t<std::is_same_v<V, float>, float, double>;
    const Csr<T, std::int64_t> csr = csr_of_blocks<T, std::int64_t>(matrix);
    write_matrix(path, csr.view(), options);
    return csr.nnz();
}

/// "a.mtx: 1,000 × 1,000, 4,960 nonzeros, 61.2 KiB, 10 ms": what was written, for people. `stored`
/// are the numbers in it.
std::string written_summary(const std::string& path, std::int64_t rows, std::int64_t cols,
                            std::int64_t stored, double seconds);

}  // namespace sptune::cli
