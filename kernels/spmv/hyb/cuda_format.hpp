// HYB on the GPU: the first entries of every row in ELL, the rest beside them: short rests sorted
// by row, for the warp that has their rows; long rests cut into pieces, a warp each.
// After Bell and Garland, "Implementing sparse matrix-vector multiplication on throughput-oriented
// processors", SC 2009.
#pragma once

#include "kernels/spmv/kernel.hpp"
#include "kernels/spmv/pieces.hpp"
#include "matrix/cuda/device_buffer.hpp"

namespace sptune::cuda {

/// Entries of the longest rest that the warp of its slice adds. Where such rests of a slice have
/// more than kShortOfSlice entries together, half of that is the longest, then a quarter, whatever
/// they have then.
inline constexpr int kShortRest = 128;
inline constexpr int kLeastShortRest = kShortRest / 4;
inline constexpr unsigned kShortOfSlice = 256;
/// Entries of a piece of a longer one.
inline constexpr int kRestPiece = 512;

template <class T>
class HybStorage final : public Storage {
  public:
    index_t rows = 0, cols = 0;
    index_t width = 0;       ///< entries of every row in the ELL part
    std::int64_t pitch = 0;  ///< rows rounded up to whole slices of 32
    DeviceBuffer<T> values;  ///< entry j of row i at j · pitch + i
    DeviceBuffer<index_t> column;

    std::int32_t short_entries = 0;  ///< of all rests; those of the long ones follow
    DeviceBuffer<index_t> rest_column;
    DeviceBuffer<T> rest_values;
    DeviceBuffer<std::int32_t> rest_ptr;  ///< rows + 1; of short rests, empty for long ones
    DeviceBuffer<unsigned> long_mask;     ///< slices; which of its rows have a long rest

    Pieces<T> pieces;                     ///< of long rests
    DeviceBuffer<std::int32_t> long_ptr;  ///< long rests + 1; from short_entries on

    std::uint64_t bytes() const override {
        return column.bytes() + values.bytes() + rest_column.bytes() + rest_values.bytes() +
               rest_ptr.bytes() + long_mask.bytes() + long_ptr.bytes() + pieces.bytes();
    }
    std::uint64_t held_bytes() const override { return bytes() + pieces.scratch_bytes(); }
    std::uint64_t stored() const override { return values.size() + rest_values.size(); }
    bool exclusive() const override { return pieces.add_up(); }
};

/// Layout parameter q: the ELL part is as wide as this percentage of rows needs.
struct HybFormat {
    static constexpr const char* name = "hyb";
    static constexpr Backend backend = Backend::cuda;

    template <class T, class P>
    static Footprint inspect(CsrView<T, P> a, const Features& features, const Params& params);
    template <class T, class P>
    static std::unique_ptr<Storage> convert(CsrView<T, P> a, const Params& params, int threads);
};

}  // namespace sptune::cuda
