// Kernels that do without the values where all of them are the same.
#pragma once

#include "kernels/spmv/sell/grid.hpp"
#include "kernels/variant.hpp"

#include <algorithm>
#include <cstdint>

namespace sptune {

/// Whether what `variant` takes may depend on the values of A: its layout leaves out those that are
/// all the same.
inline bool knows_one_value(const Variant& variant) {
    if (variant.op != Op::spmv || variant.backend != Backend::cpu || variant.format != "sell")
        return false;
    return std::any_of(variant.params.begin(), variant.params.end(), [](const Param& p) {
        return p.name == "c" && sell::knows_one_value(p.value);
    });
}

/// Whether it does of such a matrix: layouts with fewer than two columns keep the values.
inline bool leaves_out_one_value(const Variant& variant, std::int64_t rows, std::int64_t nnz) {
    return knows_one_value(variant) && nnz >= 2 * rows;
}

/// Lower bound of what such a kernel reads of A without values of `value_bytes`, from that with.
inline std::uint64_t moved_without_values(std::uint64_t moved_bytes, const Params& params,
                                          std::size_t value_bytes) {
    const auto column_bits = static_cast<std::uint64_t>(get(params, "x"));
    return moved_bytes * column_bits / (column_bits + 8 * value_bytes);
}

}  // namespace sptune
