// Fills tiles with the entries of a matrix, in an order in which those of a row stay together.
#pragma once

#include "kernels/cuda/device.cuh"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/primitives.hpp"
#include "kernels/spmv/hub/entry_tiles.hpp"
#include "matrix/csr.hpp"
#include "matrix/partition_point.hpp"

#include <array>
#include <limits>

namespace sptune::cuda {

namespace {  // each source has its own: docs/add-a-format.md

constexpr int kThreads = 256;
constexpr int kMostStretches = 8;
/// Entries, and the rows that begin in tiles, are numbered by 32 bits.
constexpr std::int64_t kMostEntries = std::numeric_limits<std::int32_t>::max() - kMostStretches - 1;

/// Stretches of the entries in their new order (hub: its bands), each in whole tiles.
struct Stretches {
    int count = 0;
    std::array<std::int64_t, kMostStretches + 1> begin{};  ///< entries
    std::array<std::int64_t, kMostStretches + 1> tile{};
    int columns = 0;  ///< that codes count within each; 0: from the first of the matrix
};

Stretches stretches_of(const std::int64_t* begin, int count, int columns) {
    Stretches s;
    s.count = count;
    s.columns = columns;
    for (int b = 0; b <= count; ++b) s.begin[static_cast<std::size_t>(b)] = begin[b];
    for (std::size_t b = 0; b < static_cast<std::size_t>(count); ++b)
        s.tile[b + 1] = s.tile[b] + (s.begin[b + 1] - s.begin[b] + kTileEntries - 1) / kTileEntries;
    return s;
}

/// Where the entries of A go.
template <class T, class Code>
struct Filled {
    Code* code;
    T* values;
    index_t* row;          ///< of each place
    std::uint8_t* begins;  ///< whether a row does, or what fills the last tile
};

template <class T, class P, class Code>
__global__ void fill_tiles(CsrView<T, P> a, Stretches s, const index_t* entry,
                           const index_t* row_of, const index_t* place, Filled<T, Code> out) {
    const std::int64_t at = global_thread();
    int b = 0;
    while (b < s.count && at >= s.tile[b + 1] * kTileEntries) ++b;
    if (b == s.count) return;
    const std::int64_t n = s.begin[b] + at - s.tile[b] * kTileEntries, end = s.begin[b + 1];
    bool begins = n == end;
    Code code{0};
    T value{0};
    index_t row = -1;
    if (n < end) {
        const index_t k = entry[n], column = a.col_idx[k];
        code = static_cast<Code>(s.columns ? place[column] - b * s.columns : column);
        value = a.values[k];
        row = row_of[k];
        begins = n == s.begin[b] || row_of[entry[n - 1]] != row;
    }
    out.code[at] = begins ? code | EntryTiles<T, Code>::kBegins : code;
    out.values[at] = value;
    out.row[at] = row;
    out.begins[at] = begins;
}

__global__ void name_rows(const std::int64_t* begin, std::int64_t size, const index_t* row_of,
                          index_t* row) {
    const std::int64_t i = global_thread();
    if (i < size) row[i] = row_of[begin[i]];
}

/// The last row to begin before each tile.
__global__ void find_open_rows(const std::int64_t* begin, std::int64_t size, std::int64_t tiles,
                               std::int32_t* open) {
    const std::int64_t tile = global_thread();
    if (tile >= tiles) return;
    const std::int64_t next = partition_point(
        std::int64_t{0}, size, [&](std::int64_t i) { return begin[i] < tile * kTileEntries; });
    open[tile] = static_cast<std::int32_t>(next - 1);
}

template <class Code, class T, class P>
EntryTiles<T, Code> tiles_of(CsrView<T, P> a, const Stretches& s, const index_t* entry,
                             const index_t* row_of, const index_t* place) {
    EntryTiles<T, Code> t;
    t.tiles = s.tile[static_cast<std::size_t>(s.count)];
    if (t.tiles == 0) return t;
    const auto size = static_cast<std::size_t>(t.tiles * kTileEntries);
    t.code = DeviceBuffer<Code>(size);
    t.values = DeviceBuffer<T>(size);
    DeviceBuffer<index_t> row(size);
    DeviceBuffer<std::uint8_t> begins(size);
    fill_tiles<<<blocks_for(t.tiles * kTileEntries, kThreads), kThreads>>>(
        a, s, entry, row_of, place,
        Filled<T, Code>{t.code.data(), t.values.data(), row.data(), begins.data()});
    SPTUNE_CUDA_LAUNCHED("fill_tiles");
    const DeviceBuffer<std::int64_t> begin =
        positions_of(begins.data(), static_cast<std::int64_t>(size));
    const auto rows = static_cast<std::int64_t>(begin.size());
    t.row = DeviceBuffer<index_t>(begin.size());
    name_rows<<<blocks_for(rows, kThreads), kThreads>>>(begin.data(), rows, row.data(),
                                                        t.row.data());
    SPTUNE_CUDA_LAUNCHED("name_rows");
    t.open = DeviceBuffer<std::int32_t>(static_cast<std::size_t>(t.tiles));
    find_open_rows<<<blocks_for(t.tiles, kThreads), kThreads>>>(begin.data(), rows, t.tiles,
                                                                t.open.data());
    SPTUNE_CUDA_LAUNCHED("find_open_rows");
    return t;
}

}  // namespace
}  // namespace sptune::cuda
