// Two-dimensional tiles on the GPU. Rows are cut into panels, columns into bands; while a block of
// threads adds the entries of a panel and a band, both their parts of y and of x lie in its shared
// memory, where gathering and adding costs much less than through the caches. For entries that are
// all over the matrix: where they are not, caches hold what is gathered anyway.
// After the blocking of Nishtala, Vuduc, Demmel and Yelick, "When cache blocking of sparse matrix
// vector multiply works and why", AAECC 18, 2007, for another kind of memory.
#pragma once

#include "kernels/spmv/kernel.hpp"
#include "kernels/spmv/tiles2d/shares.hpp"
#include "matrix/cuda/device_buffer.hpp"

#include <span>
#include <vector>

namespace sptune::cuda {

/// Tiles whose x is fetched, or used, at a time.
inline constexpr int kBandsAtOnce = 2;
/// Columns of a band at most, and slots of a panel: codes have 15 and 16 bits for them.
inline constexpr int kMostBandColumns = 1 << 15;
inline constexpr int kMostPanelSlots = 1 << 15;
/// Of the shared memory of a block, for all but x and y.
inline constexpr int kOwnSharedBytes = 1 << 10;

/// A tile's entries of the same warp are a run: each lane has one entry of each of its steps. What
/// a step's lanes add goes to different slots, except where kShares says otherwise.
///
/// A slot is a row of y, or one of several shares of a row that is so long that it would keep one
/// warp busy, or several lanes in the same steps. The last slots of a panel are no row's: each
/// thread has one, to which what fills up a step is added.
template <class T>
class Tiles2dStorage final : public Storage {
  public:
    /// Bits of a code: the column within the band, whether another lane of the step may add to the
    /// same slot, and above them the slot within the panel.
    static constexpr std::uint32_t kColumn = 0x7fff, kShares = 0x8000;
    static constexpr int kSlotShift = 16;
    /// Of the steps of a run: whether there is such an entry.
    static constexpr std::int32_t kSomeShare = std::int32_t{1} << 30;

    index_t rows = 0, cols = 0;
    std::int32_t blocks = 0;               ///< of threads
    std::int32_t panel = 0;                ///< room for slots, spare ones included
    std::int32_t band = 0;                 ///< room for columns
    DeviceBuffer<PanelShare> share;        ///< block by block
    DeviceBuffer<std::int32_t> share_ptr;  ///< blocks + 1
    DeviceBuffer<Band> tile;               ///< share by share, from left to right
    /// Of the runs: warp by warp of each share, tile by tile of each warp.
    DeviceBuffer<std::int32_t> steps;
    DeviceBuffer<std::int32_t> step_ptr;  ///< runs + 1; which step is the first of each
    DeviceBuffer<std::uint32_t> code;     ///< 32 of each step
    DeviceBuffer<T> values;
    DeviceBuffer<index_t> slot_row;  ///< of all panels; empty where each row has one slot

    std::uint64_t bytes() const override {
        return share.bytes() + share_ptr.bytes() + tile.bytes() + steps.bytes() + step_ptr.bytes() +
               code.bytes() + values.bytes() + slot_row.bytes();
    }
    std::uint64_t stored() const override { return values.size(); }
};

/// Layout parameters y, the KiB of shared memory for a panel, and b, the threads of a block.
struct Tiles2dFormat {
    static constexpr const char* name = "tiles2d";
    static constexpr Backend backend = Backend::cuda;

    template <class T, class P>
    static Footprint inspect(CsrView<T, P> a, const Features& features, const Params& params);
    /// Bytes, numbers of x that are fetched for all panels together if every tile has entries, and
    /// slots that are added to y. Without a look at the matrix; infinite where it is illegal, or on
    /// GPUs before compute capability 9.0.
    template <class T, class P>
    static std::vector<LayoutEstimate> estimate(CsrView<T, P> a, const Features& features,
                                                std::span<const Params> params);
    template <class T, class P>
    static std::unique_ptr<Storage> convert(CsrView<T, P> a, const Params& params, int threads);
};

}  // namespace sptune::cuda
