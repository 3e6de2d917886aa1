// SELL-C-σ on the GPU: as kernels/spmv/sell/format.hpp, in device memory.
#pragma once

#include "kernels/spmv/kernel.hpp"
#include "matrix/cuda/device_buffer.hpp"

namespace sptune::cuda {

template <class T>
class SellStorage final : public Storage {
  public:
    index_t rows = 0, cols = 0;
    index_t slices = 0;
    DeviceBuffer<std::int64_t> slice_ptr;  ///< slices + 1; first stored entry of each slice
    DeviceBuffer<index_t> order;           ///< stored row -> row of A; empty for σ = 1
    DeviceBuffer<index_t> column;          ///< for x32
    DeviceBuffer<std::uint16_t> offset;    ///< for x16: column - base of the slice
    DeviceBuffer<index_t> base;            ///< for x16
    DeviceBuffer<T> values;

    std::uint64_t bytes() const override {
        return slice_ptr.bytes() + order.bytes() + column.bytes() + offset.bytes() + base.bytes() +
               values.bytes();
    }
    std::uint64_t stored() const override { return values.size(); }
};

/// Layout parameters: c, s (σ; kAll: all rows), x (bits of a column index: 16 or 32).
struct SellFormat {
    static constexpr const char* name = "sell";
    static constexpr Backend backend = Backend::cuda;

    template <class T, class P>
    static Footprint inspect(CsrView<T, P> a, const Features& features, const Params& params);
    template <class T, class P>
    static std::unique_ptr<Storage> convert(CsrView<T, P> a, const Params& params, int threads);
};

}  // namespace sptune::cuda
