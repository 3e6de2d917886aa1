// Reading a matrix file of any kind; the content decides, not the name.
#pragma once

#include "matrix/csr.hpp"
#include "matrix/market.hpp"

#include <cstdint>
#include <string>

namespace sptune {

struct MatrixFileInfo {
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    std::int64_t max_nnz = 0;          ///< upper bound; exact for .spt
    IndexType index = IndexType::i32;  ///< narrowest row pointer that surely suffices
};

/// Reads the head only. Throws InputError.
MatrixFileInfo inspect_matrix_file(const std::string& path);

/// Reads .mtx, .mtx.gz, .spt, or .bsm, whose zeros are left out. Throws InputError and OutOfMemory.
template <class T, class P = std::int32_t>
Csr<T, P> load_matrix(const std::string& path, const MarketReadOptions& options = {});

}  // namespace sptune
