// The fingerprint of a sparsity pattern: a sum of one term per array position, so that any number
// of threads, in any order, on any device, finds the same number.
//
// All arithmetic is unsigned and modulo 2^64. With key = (k + 1) · kColumnStep, each column adds
//     (col_idx[k] xor low32(key)) · (high32(key) or 1)                          32 × 32 -> 64 bits
// and with key = (i + 1) · kPointerStep, each of the rows + 1 row pointers, widened to 64 bits,
// adds
//     (row_ptr[i] xor key) · (high32(key) or 1)                                 64 × 64 -> low 64
// (a matrix without rows has no row pointers). From the sum s, with mix64 the finaliser of
// splitmix64, the fingerprint is
//     f0 = s;  f1 = mix64(f0 xor mix64(rows + 1));  f2 = mix64(f1 xor mix64(cols + 1));
//     fingerprint = mix64(f2 xor mix64(nnz + 1)).
// Values do not take part, nor does the width of the row pointer.
#pragma once

#include "matrix/counter_random.hpp"
#include "matrix/types.hpp"

#include <cstdint>

namespace sptune {

inline constexpr std::uint64_t kColumnStep = 0x9e3779b97f4a7c15u;
inline constexpr std::uint64_t kPointerStep = 0xc2b2ae3d27d4eb4fu;

/// The term of a column at position k, with key = (k + 1) · kColumnStep.
constexpr std::uint64_t column_term(index_t column, std::uint64_t key) {
    const auto low = static_cast<std::uint32_t>(column) ^ static_cast<std::uint32_t>(key);
    const auto high = static_cast<std::uint32_t>(key >> 32) | 1u;
    return std::uint64_t{low} * high;
}

/// The term of row_ptr[i] = pointer.
constexpr std::uint64_t pointer_term(std::int64_t pointer, std::int64_t i) {
    const std::uint64_t key = static_cast<std::uint64_t>(i + 1) * kPointerStep;
    return (static_cast<std::uint64_t>(pointer) ^ key) * (key >> 32 | 1u);
}

/// The terms of col_idx[first, last).
inline std::uint64_t column_terms(const index_t* col_idx, std::int64_t first, std::int64_t last) {
    std::uint64_t sum = 0;
    std::uint64_t key = static_cast<std::uint64_t>(first + 1) * kColumnStep;
    for (std::int64_t k = first; k < last; ++k, key += kColumnStep)
        sum += column_term(col_idx[k], key);
    return sum;
}

/// The terms of row_ptr[first, last).
template <class P>
std::uint64_t pointer_terms(const P* row_ptr, std::int64_t first, std::int64_t last) {
    std::uint64_t sum = 0;
    for (std::int64_t i = first; i < last; ++i) sum += pointer_term(row_ptr[i], i);
    return sum;
}

constexpr std::uint64_t finish_fingerprint(std::uint64_t sum, std::int64_t rows, std::int64_t cols,
                                           std::int64_t nnz) {
    for (const std::int64_t part : {rows, cols, nnz})
        sum = mix64(sum ^ mix64(static_cast<std::uint64_t>(part) + 1));
    return sum;
}

}  // namespace sptune
