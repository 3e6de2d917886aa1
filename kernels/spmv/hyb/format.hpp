// HYB: the first entries of every row in ELL, the rest of the long rows in COO.
// Source: Bell and Garland, "Implementing sparse matrix-vector multiplication on
// throughput-oriented processors", SC 2009.
#pragma once

#include "kernels/spmv/kernel.hpp"

namespace sptune {

template <class T>
class HybStorage final : public Storage {
  public:
    index_t rows = 0;
    index_t width = 0;       ///< entries of every row in the ELL part
    std::int64_t pitch = 0;  ///< rows rounded up to whole chunks
    Buffer<index_t> column;
    Buffer<T> values;
    Buffer<index_t> rest_row, rest_column;  ///< sorted by row
    Buffer<T> rest_values;

    std::uint64_t bytes() const override {
        return column.bytes() + values.bytes() + rest_row.bytes() + rest_column.bytes() +
               rest_values.bytes();
    }
    std::uint64_t stored() const override { return values.size() + rest_values.size(); }
};

/// Rows are rounded up to this many.
inline constexpr int kHybChunk = 32;

/// Layout parameter q: the ELL part is as wide as this percentage of rows needs.
struct HybFormat {
    static constexpr const char* name = "hyb";

    template <class T, class P>
    static Footprint inspect(CsrView<T, P> a, const Features& features, const Params& params);
    template <class T, class P>
    static std::unique_ptr<Storage> convert(CsrView<T, P> a, const Params& params, int threads);
};

}  // namespace sptune
