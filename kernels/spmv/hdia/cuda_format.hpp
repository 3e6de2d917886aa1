// HDIA on the GPU: as kernels/spmv/hdia/format.hpp, in device memory.
#pragma once

#include "kernels/spmv/kernel.hpp"
#include "matrix/cuda/device_buffer.hpp"

namespace sptune::cuda {

template <class T>
class HdiaStorage final : public Storage {
  public:
    index_t rows = 0, cols = 0;
    index_t slices = 0;
    DeviceBuffer<std::int64_t> slice_ptr;  ///< slices + 1; first stored value of each slice
    DeviceBuffer<std::int64_t> run_ptr;    ///< slices + 1; first diagonal of each slice
    DeviceBuffer<index_t> start;           ///< of each diagonal: its column in the first row
    DeviceBuffer<index_t> column;          ///< of each value off the diagonals
    DeviceBuffer<T> values;                ///< of a slice: the diagonals, then the rest

    std::uint64_t bytes() const override {
        return slice_ptr.bytes() + run_ptr.bytes() + start.bytes() + column.bytes() +
               values.bytes();
    }
    std::uint64_t stored() const override { return values.size(); }
};

/// Layout parameters: c (rows of a slice), f (least occupation of a diagonal in percent of c).
struct HdiaFormat {
    static constexpr const char* name = "hdia";
    static constexpr Backend backend = Backend::cuda;

    template <class T, class P>
    static Footprint inspect(CsrView<T, P> a, const Features& features, const Params& params);
    template <class T, class P>
    static std::unique_ptr<Storage> convert(CsrView<T, P> a, const Params& params, int threads);
};

}  // namespace sptune::cuda
