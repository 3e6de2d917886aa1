// DIA: whole diagonals, without column indices; what lies off the kept diagonals goes into a CSR
// beside them (DIA + CSR).
#pragma once

#include "kernels/spmv/kernel.hpp"

namespace sptune {

template <class T>
class DiaStorage final : public Storage {
  public:
    index_t rows = 0, cols = 0;
    std::vector<index_t> diagonal;  ///< column - row of each kept diagonal, rising
    Buffer<T> values;               ///< tile by tile; in a tile diagonal by diagonal
    Buffer<std::int64_t> rest_ptr;  ///< rows + 1; empty when nothing is left over
    Buffer<index_t> rest_column;
    Buffer<T> rest_values;

    std::uint64_t bytes() const override {
        return values.bytes() + rest_ptr.bytes() + rest_column.bytes() + rest_values.bytes();
    }
    std::uint64_t stored() const override { return values.size() + rest_values.size(); }
};

/// Rows that are stored together: one stream to read instead of one for each diagonal.
inline constexpr int kDiaTile = 64;

/// Layout parameter f: least occupation of a kept diagonal in percent; kAll: all are kept.
struct DiaFormat {
    static constexpr const char* name = "dia";

    template <class T, class P>
    static Footprint inspect(CsrView<T, P> a, const Features& features, const Params& params);
    template <class T, class P>
    static std::unique_ptr<Storage> convert(CsrView<T, P> a, const Params& params, int threads);
};

}  // namespace sptune
