// Coordinate format, sorted by row.
#pragma once

#include "kernels/spmv/kernel.hpp"

namespace sptune {

template <class T>
class CooStorage final : public Storage {
  public:
    index_t rows = 0;
    Buffer<index_t> row, column;
    Buffer<T> values;

    std::uint64_t bytes() const override { return row.bytes() + column.bytes() + values.bytes(); }
    std::uint64_t stored() const override { return values.size(); }
};

/// No layout parameters.
struct CooFormat {
    static constexpr const char* name = "coo";

    template <class T, class P>
    static Footprint inspect(CsrView<T, P> a, const Features& features, const Params& params);
    template <class T, class P>
    static std::unique_ptr<Storage> convert(CsrView<T, P> a, const Params& params, int threads);
};

}  // namespace sptune
