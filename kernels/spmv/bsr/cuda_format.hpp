// BSR on the GPU: dense r×c blocks that begin at any column (greedily, at the first column not yet
// covered), block row after block row, or interleaved in slices.
#pragma once

#include "kernels/spmv/kernel.hpp"
#include "kernels/spmv/pieces.hpp"
#include "matrix/cuda/device_buffer.hpp"

namespace sptune::cuda {

/// Blocks one after the other. Block rows of more than kLongBlocks blocks are cut into pieces of
/// that many, which thread blocks of their own sum up: one hub row must not keep a single warp busy
/// for longer than all others together.
template <class T>
class BsrStorage final : public Storage {
  public:
    static constexpr int kLongBlocks = 512;

    index_t rows = 0, cols = 0;
    int r = 0;
    DeviceBuffer<std::int32_t> block_ptr;  ///< block rows + 1
    DeviceBuffer<index_t> column;          ///< first column of each block
    DeviceBuffer<T> values;                ///< r·c for each block, column by column

    Pieces<T> pieces;  ///< of block rows, r sums of each

    index_t block_rows() const { return static_cast<index_t>(block_ptr.size()) - 1; }
    std::uint64_t bytes() const override {
        return block_ptr.bytes() + column.bytes() + values.bytes() + pieces.bytes();
    }
    std::uint64_t held_bytes() const override { return bytes() + pieces.scratch_bytes(); }
    std::uint64_t stored() const override { return values.size(); }
    bool exclusive() const override { return !pieces.long_row.empty(); }
};

/// Layout parameters r and c. The columns of each row must be sorted.
struct BsrFormat {
    static constexpr const char* name = "bsr";
    static constexpr Backend backend = Backend::cuda;

    template <class T, class P>
    static Footprint inspect(CsrView<T, P> a, const Features& features, const Params& params);
    template <class T, class P>
    static std::unique_ptr<Storage> convert(CsrView<T, P> a, const Params& params, int threads);
};

/// Block rows of a slice; the warp that finds the longest of them is 32 wide.
inline constexpr int kBsrSlice = 32;

/// Slices of 32 block rows, as many blocks wide as the longest of them: first block of each block
/// row, then the second of each, … Inside, column by column, the 32·r rows side by side, so that a
/// thread per row reads coalesced. What is padding takes memory but is not read.
template <class T>
class BsrSlicedStorage final : public Storage {
  public:
    index_t rows = 0, cols = 0;
    DeviceBuffer<std::int64_t> slice_ptr;  ///< slices + 1; widths summed up
    DeviceBuffer<std::int32_t> length;     ///< blocks of each block row
    DeviceBuffer<index_t> column;          ///< 32 for each unit of width
    DeviceBuffer<T> values;                ///< 32·r·c for each unit of width
    std::uint64_t moved_bytes = 0;

    std::uint64_t bytes() const override { return moved_bytes; }
    std::uint64_t held_bytes() const override {
        return slice_ptr.bytes() + length.bytes() + column.bytes() + values.bytes();
    }
    std::uint64_t stored() const override { return values.size(); }
};

/// Layout parameters r, c and s (block rows of a slice, 32). Sorted columns, too.
struct BsrSlicedFormat {
    static constexpr const char* name = "bsr";
    static constexpr Backend backend = Backend::cuda;

    template <class T, class P>
    static Footprint inspect(CsrView<T, P> a, const Features& features, const Params& params);
    template <class T, class P>
    static std::unique_ptr<Storage> convert(CsrView<T, P> a, const Params& params, int threads);
};

}  // namespace sptune::cuda
