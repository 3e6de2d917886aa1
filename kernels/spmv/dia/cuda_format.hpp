// DIA on the GPU: whole diagonals, without column indices; what lies off the kept diagonals goes
// into a CSR beside them.
#pragma once

#include "kernels/spmv/kernel.hpp"
#include "matrix/cuda/device_buffer.hpp"

namespace sptune::cuda {

/// So many diagonals travel to the kernel as arguments, which cost no load.
inline constexpr int kFewDiagonals = 64;
/// Rows of the pitch of a diagonal: every diagonal begins on a 128-byte line.
inline constexpr int kDiaPitch = 32;
/// A row may have so many entries off the kept diagonals: one thread sums them.
inline constexpr int kLongestRest = 256;

template <class T>
class DiaStorage final : public Storage {
  public:
    index_t rows = 0, cols = 0;
    std::int64_t pitch = 0;               ///< rows rounded up
    DeviceBuffer<index_t> diagonal;       ///< column - row of each kept diagonal, rising
    index_t few[kFewDiagonals] = {};      ///< the first of them
    index_t lowest = 0, highest = 0;      ///< first and last of them
    DeviceBuffer<T> values;               ///< entry of row i on diagonal d at d · pitch + i
    DeviceBuffer<std::int32_t> rest_ptr;  ///< rows + 1; empty when nothing is left over
    DeviceBuffer<index_t> rest_column;
    DeviceBuffer<T> rest_values;

    std::uint64_t bytes() const override {
        return values.bytes() + diagonal.bytes() + rest_ptr.bytes() + rest_column.bytes() +
               rest_values.bytes();
    }
    std::uint64_t stored() const override { return values.size() + rest_values.size(); }
};

/// Layout parameter f: least occupation of a kept diagonal in percent; kAll: all are kept.
struct DiaFormat {
    static constexpr const char* name = "dia";
    static constexpr Backend backend = Backend::cuda;

    template <class T, class P>
    static Footprint inspect(CsrView<T, P> a, const Features& features, const Params& params);
    template <class T, class P>
    static std::unique_ptr<Storage> convert(CsrView<T, P> a, const Params& params, int threads);
};

}  // namespace sptune::cuda
