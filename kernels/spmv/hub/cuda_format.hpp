// Hub columns on the GPU. In graphs few columns hold most of the entries. Their part of x is
// fetched into the shared memory of every multiprocessor, a band of columns at a time, where
// gathers cost much less than through the caches; their entries name columns in 15 bits.
// The entries of all other columns lie beside them and gather from memory.
// After Zhang, Kiriansky, Mendis, Amarasinghe and Zaharia, "Making caches work for graph
// analytics", IEEE Big Data 2017 (hubs, segments of columns), for another kind of memory.
#pragma once

#include "kernels/spmv/hub/entry_tiles.hpp"
#include "kernels/spmv/kernel.hpp"
#include "matrix/cuda/device_buffer.hpp"

#include <span>
#include <vector>

namespace sptune::cuda {

/// Columns of a band, at most: one bit of 16 says that a row begins.
inline constexpr int kMostHubColumns = 1 << 15;

/// What a block adds with one band in shared memory: columns [column, column + columns) of
/// HubStorage::hub, and tiles [begin, end).
struct HubShare {
    std::int32_t column, columns;
    std::int64_t begin, end;
};

template <class T>
class HubStorage final : public Storage {
  public:
    index_t rows = 0, cols = 0;
    std::int32_t blocks = 0;            ///< of threads, one for each multiprocessor
    std::int32_t band = 0;              ///< columns of a band
    DeviceBuffer<index_t> hub;          ///< columns, band by band, rising within each
    EntryTiles<T, std::uint16_t> hot;   ///< entries of hub columns: codes count within the band
    EntryTiles<T, std::uint32_t> cold;  ///< all others: codes are columns
    DeviceBuffer<HubShare> share;
    DeviceBuffer<std::int32_t> share_ptr;  ///< blocks + 1; the shares of each block

    std::uint64_t bytes() const override {
        return hub.bytes() + hot.bytes() + cold.bytes() + share.bytes() + share_ptr.bytes();
    }
    std::uint64_t stored() const override { return hot.values.size() + cold.values.size(); }
};

/// Bytes of shared memory that a block of the current device may have.
std::uint64_t most_shared_bytes();

/// Layout parameters n and k: the number of bands and the columns of each.
struct HubFormat {
    static constexpr const char* name = "hub";
    static constexpr Backend backend = Backend::cuda;

    template <class T, class P>
    static Footprint inspect(CsrView<T, P> a, const Features& features, const Params& params);
    /// Bytes, entries beside the bands, and the parts of rows in bands if the entries of each were
    /// spread over the rows at random. Looks at some million entries, as inspect() does; infinite
    /// where that would find it illegal.
    template <class T, class P>
    static std::vector<LayoutEstimate> estimate(CsrView<T, P> a, const Features& features,
                                                std::span<const Params> params);
    template <class T, class P>
    static std::unique_ptr<Storage> convert(CsrView<T, P> a, const Params& params, int threads);
};

}  // namespace sptune::cuda
