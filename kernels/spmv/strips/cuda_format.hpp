// Strips of columns on the GPU: entries lie strip by strip, row by row within each, so that what is
// gathered of x at one time stays in the L2 cache where all of x would not. Each strip adds to y by
// itself. Known as cache blocking (Nishtala, Vuduc, Demmel, Yelick:
// "When cache blocking of sparse matrix vector multiply works and why", AAECC 18(3), 2007).
#pragma once

#include "kernels/spmv/hub/entry_tiles.hpp"
#include "kernels/spmv/kernel.hpp"
#include "matrix/cuda/device_buffer.hpp"

namespace sptune::cuda {

template <class T>
class StripsStorage final : public Storage {
  public:
    index_t rows = 0, cols = 0;
    EntryTiles<T, std::uint32_t> entries;  ///< codes are columns

    std::uint64_t bytes() const override { return entries.bytes(); }
    std::uint64_t stored() const override { return entries.values.size(); }
};

/// A CSR matrix for each strip, of all rows.
template <class T>
class StripRowsStorage final : public Storage {
  public:
    index_t rows = 0, cols = 0;
    int strips = 0;
    DeviceBuffer<std::int32_t> row_ptr;  ///< strips · rows + 1: those of a strip after the others
    DeviceBuffer<index_t> column;
    DeviceBuffer<T> values;

    std::uint64_t bytes() const override {
        return row_ptr.bytes() + column.bytes() + values.bytes();
    }
    std::uint64_t stored() const override { return values.size(); }
};

/// Layout parameters m, the MiB of x for each strip, and o, how strips are stored: 1 as
/// StripsStorage, 2 as StripRowsStorage.
struct StripsFormat {
    static constexpr const char* name = "strips";
    static constexpr Backend backend = Backend::cuda;

    template <class T, class P>
    static Footprint inspect(CsrView<T, P> a, const Features& features, const Params& params);
    template <class T, class P>
    static std::unique_ptr<Storage> convert(CsrView<T, P> a, const Params& params, int threads);
};

}  // namespace sptune::cuda
