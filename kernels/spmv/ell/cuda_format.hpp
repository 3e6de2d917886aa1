// ELL on the GPU: every row padded to the longest, entry j of all rows together.
#pragma once

#include "kernels/spmv/kernel.hpp"
#include "matrix/cuda/device_buffer.hpp"

namespace sptune::cuda {

template <class T>
class EllStorage final : public Storage {
  public:
    index_t rows = 0, cols = 0;
    index_t width = 0;                   ///< entries of every row
    std::int64_t pitch = 0;              ///< rows rounded up to whole slices of 32
    DeviceBuffer<T> values;              ///< entry j of row i at j · pitch + i
    DeviceBuffer<index_t> column;        ///< x32
    DeviceBuffer<std::uint16_t> offset;  ///< x16: columns less the base of their slice
    DeviceBuffer<index_t> base;          ///< x16: smallest column of each slice

    std::uint64_t bytes() const override {
        return values.bytes() + column.bytes() + offset.bytes() + base.bytes();
    }
    std::uint64_t stored() const override { return values.size(); }
};

/// Layout parameter x: bits of a column index; 16 where every slice of 32 rows spans less than 2^16
/// columns.
struct EllFormat {
    static constexpr const char* name = "ell";
    static constexpr Backend backend = Backend::cuda;

    template <class T, class P>
    static Footprint inspect(CsrView<T, P> a, const Features& features, const Params& params);
    template <class T, class P>
    static std::unique_ptr<Storage> convert(CsrView<T, P> a, const Params& params, int threads);
};

}  // namespace sptune::cuda
