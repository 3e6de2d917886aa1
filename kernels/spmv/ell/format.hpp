// ELLPACK: every row padded to the longest.
#pragma once

#include "kernels/spmv/kernel.hpp"

namespace sptune {

template <class T>
class EllStorage final : public Storage {
  public:
    index_t rows = 0;
    index_t width = 0;       ///< entries of every row
    std::int64_t pitch = 0;  ///< rows rounded up to whole chunks (order 1)
    Buffer<index_t> column;
    Buffer<T> values;

    std::uint64_t bytes() const override { return column.bytes() + values.bytes(); }
    std::uint64_t stored() const override { return values.size(); }
};

/// Rows are rounded up to this many, so that no kernel needs a tail.
inline constexpr int kEllChunk = 32;

/// Layout parameter o: 1 column-major (entry j of all rows together), 2 row-major.
struct EllFormat {
    static constexpr const char* name = "ell";

    template <class T, class P>
    static Footprint inspect(CsrView<T, P> a, const Features& features, const Params& params);
    template <class T, class P>
    static std::unique_ptr<Storage> convert(CsrView<T, P> a, const Params& params, int threads);
};

}  // namespace sptune
