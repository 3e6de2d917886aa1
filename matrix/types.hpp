// The element types every room agrees on.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

namespace sptune {

/// Row or column number. Matrices with 2^31 or more rows or columns are refused when read.
using index_t = std::int32_t;

enum class ValueType { f32, f64 };
/// Width of the row pointer: i32 while nnz < 2^31, i64 beyond. Column indices stay 32-bit.
enum class IndexType { i32, i64 };

template <class T>
constexpr ValueType value_type_of() {
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>);
    return std::is_same_v<T, float> ? ValueType::f32 : ValueType::f64;
}

template <class P>
constexpr IndexType index_type_of() {
    static_assert(std::is_same_v<P, std::int32_t> || std::is_same_v<P, std::int64_t>);
    return std::is_same_v<P, std::int32_t> ? IndexType::i32 : IndexType::i64;
}

constexpr std::string_view to_string(ValueType v) {
    return v == ValueType::f32 ? "f32" : "f64";
}
constexpr std::string_view to_string(IndexType i) {
    return i == IndexType::i32 ? "i32" : "i64";
}

}  // namespace sptune

/// X(T, P) for every type of values and of row pointers, as explicit instantiations need it.
#define SPTUNE_FOR_ALL_TYPES(X) \
    X(float, std::int32_t) X(float, std::int64_t) X(double, std::int32_t) X(double, std::int64_t)
