// What the user of `sptune spgemm` asks for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sptune::cli {

struct SpgemmRequest {
    std::vector<std::string> files;  ///< A, perhaps B
    std::string output, variant, json, db, mkl;
    std::string backend = "auto";
    std::string precision;  ///< empty: f64, of block files what they are
    std::string validate;
    std::string search = "rowwise";
    int threads = 0;
    int block_size = 0;  ///< --blocks; 0: not given
    bool drop_zeros = false, unsorted = false, transpose_b = false;

    const std::string& a() const { return files.front(); }
    const std::string& b() const { return files.back(); }
};

/// "FILE is 3 × 4", for messages.
std::string size_text(const std::string& path, std::int64_t rows, std::int64_t cols);

}  // namespace sptune::cli
