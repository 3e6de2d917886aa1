// Coordinate format on the GPU, sorted by row.
#pragma once

#include "kernels/spmv/kernel.hpp"
#include "matrix/cuda/device_buffer.hpp"

namespace sptune::cuda {

template <class T>
class CooStorage final : public Storage {
  public:
    /// Entries of a tile, at least: what sizes the scratch memory.
    static constexpr int kMinTile = 128;

    index_t rows = 0, cols = 0;
    DeviceBuffer<index_t> row, column;
    DeviceBuffer<T> values;
    DeviceBuffer<index_t> empty_row;  ///< rows without entries, which still get βy
    /// For each tile the row that goes on in the next one, or -1, and the tile's part of its sum.
    mutable DeviceBuffer<index_t> carry_row;
    mutable DeviceBuffer<T> carry;

    std::uint64_t bytes() const override {
        return row.bytes() + column.bytes() + values.bytes() + empty_row.bytes();
    }
    std::uint64_t stored() const override { return values.size(); }
    bool exclusive() const override { return true; }
};

/// No layout parameters.
struct CooFormat {
    static constexpr const char* name = "coo";
    static constexpr Backend backend = Backend::cuda;

    template <class T, class P>
    static Footprint inspect(CsrView<T, P> a, const Features& features, const Params& params);
    template <class T, class P>
    static std::unique_ptr<Storage> convert(CsrView<T, P> a, const Params& params, int threads);
};

}  // namespace sptune::cuda
