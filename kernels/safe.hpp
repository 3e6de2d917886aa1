// What a program multiplies with while nothing is known but the outline of its matrix.
#pragma once

#include "kernels/variant.hpp"

#include <cstdint>
#include <vector>

namespace sptune {

/// What can be told of a matrix without a look at its entries.
struct Outline {
    index_t rows = 0;
    std::int64_t nnz = 0;
    std::int64_t longest_row = -1;  ///< in entries; negative: unknown
    int threads = 0;                ///< of the CPU, multiprocessors of the GPU; 0: unknown

    /// Of a GPU; where unknown, those of an H100 or H200.
    int multiprocessors() const { return threads > 0 ? threads : kUsualMultiprocessors; }
    static constexpr int kUsualMultiprocessors = 132;
};

/// The CSR kernel that never takes much longer than another one on any matrix of this outline, and
/// whose preparation costs a few calls. On a CPU rows of equal work for each thread, or one thread
/// where that is done sooner than others start, by lanes unless rows are short; nothing has to be
/// prepared. On a GPU threads per row, unless they lose by up to hundreds of times because one row
/// is long, or it is unknown whether one is: then rows in tiles of equal work.
Variant spmv_safe(Backend backend, ValueType value, IndexType index, const Outline& outline);

/// All that spmv_safe() may answer.
std::vector<Variant> all_safe(Backend backend, ValueType value, IndexType index);

}  // namespace sptune
