// CSC on the GPU.
#pragma once

#include "kernels/spmv/kernel.hpp"
#include "matrix/cuda/device_buffer.hpp"

namespace sptune::cuda {

template <class T>
class CscStorage final : public Storage {
  public:
    index_t rows = 0, cols = 0;
    DeviceBuffer<std::int64_t> col_ptr;  ///< cols + 1
    DeviceBuffer<index_t> row;           ///< rising in each column
    DeviceBuffer<T> values;

    std::uint64_t bytes() const override { return col_ptr.bytes() + row.bytes() + values.bytes(); }
    std::uint64_t stored() const override { return values.size(); }
};

/// No layout parameters: all rows are one band, since threads that scatter to one row add
/// atomically.
struct CscFormat {
    static constexpr const char* name = "csc";
    static constexpr Backend backend = Backend::cuda;

    template <class T, class P>
    static Footprint inspect(CsrView<T, P> a, const Features& features, const Params& params);
    template <class T, class P>
    static std::unique_ptr<Storage> convert(CsrView<T, P> a, const Params& params, int threads);
};

}  // namespace sptune::cuda
