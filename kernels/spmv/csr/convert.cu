#include "kernels/cuda/device.cuh"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/primitives.hpp"
#include "kernels/instantiate.hpp"
#include "kernels/spmv/csr/cuda_format.hpp"
#include "kernels/spmv/name_pieces.cuh"
#include "matrix/csr_bytes.hpp"
#include "matrix/partition_point.hpp"

#include <algorithm>
#include <limits>

namespace sptune::cuda {
namespace {

constexpr int kThreads = 256;
constexpr index_t kSpan16 = 1 << 16;

/// tile_row[t] becomes the first row r with row_ptr[r + After] + r >= t · n; After is 0 to put rows
/// where they begin, 1 where they end.
template <int After, class P>
__global__ void find_tiles(const P* row_ptr, index_t rows, int n, index_t* tile_row,
                           index_t tiles) {
    const std::int64_t t = global_thread();
    if (t > tiles) return;
    tile_row[t] = partition_point(t < tiles ? 0 : rows, rows, [&](index_t r) {
        return static_cast<std::int64_t>(row_ptr[r + After]) + r < t * n;
    });
}

template <int After, class T, class P>
DeviceBuffer<index_t> cut_tiles(CsrView<T, P> a, int n) {
    const std::int64_t work = static_cast<std::int64_t>(a.nnz()) + a.rows;
    const index_t tiles = static_cast<index_t>(work / n + 1);
    DeviceBuffer<index_t> tile_row(static_cast<std::size_t>(tiles) + 1);
    find_tiles<After><<<blocks_for(std::int64_t{tiles} + 1, kThreads), kThreads>>>(
        a.row_ptr, a.rows, n, tile_row.data(), tiles);
    SPTUNE_CUDA_LAUNCHED("find_tiles");
    return tile_row;
}

template <class P>
__global__ void describe_tiles(const P* row_ptr, const index_t* tile_row, int n, index_t tiles,
                               CsrTile<P>* tile) {
    const std::int64_t t = global_thread();
    if (t >= tiles) return;
    const index_t first = tile_row[t];
    index_t last = tile_row[t + 1];
    if (last > first && row_ptr[last] - row_ptr[last - 1] > n) --last;  // a long row
    const P begin = row_ptr[first];
    tile[t] = {begin, first, last - first, static_cast<int>(row_ptr[last] - begin), -1};
}

/// A block per tile: the smallest column of a tile whose columns span less than 2^16.
template <class P>
__global__ void find_bases(const index_t* col_idx, CsrTile<P>* tile, std::int64_t* narrow_entries) {
    __shared__ index_t lowest, highest;
    if (threadIdx.x == 0) lowest = std::numeric_limits<index_t>::max(), highest = 0;
    __syncthreads();
    CsrTile<P>& t = tile[blockIdx.x];
    const index_t* column = col_idx + t.begin;
    index_t low = std::numeric_limits<index_t>::max(), high = 0;
    for (int k = static_cast<int>(threadIdx.x); k < t.entries; k += kThreads) {
        low = min(low, column[k]);
        high = max(high, column[k]);
    }
    low = __reduce_min_sync(kFullMask, low), high = __reduce_max_sync(kFullMask, high);
    if (threadIdx.x % kWarp == 0) atomicMin(&lowest, low), atomicMax(&highest, high);
    __syncthreads();
    if (threadIdx.x != 0) return;
    const bool narrow = t.entries > 0 && highest - lowest < kSpan16;
    t.base = narrow ? lowest : -1;
    narrow_entries[blockIdx.x] = narrow ? t.entries : 0;
}

template <class P>
__global__ void fill_offsets(const index_t* col_idx, const CsrTile<P>* tile,
                             std::uint16_t* offset) {
    const CsrTile<P> t = tile[blockIdx.x];
    if (t.base < 0) return;
    for (int k = static_cast<int>(threadIdx.x); k < t.entries; k += kThreads)
        offset[t.begin + k] = static_cast<std::uint16_t>(col_idx[t.begin + k] - t.base);
}

/// Long rows are counted in the upper half, their pieces in the lower one, so that one scan gives
/// the places of both. Each step that waits for the device costs as much as a few calls.
constexpr std::int64_t kLongRow = std::int64_t{1} << 32;

template <class P>
__global__ void count_pieces(const P* row_ptr, index_t rows, int n, P piece, std::int64_t* count) {
    const std::int64_t i = global_thread();
    if (i >= rows) return;
    const std::int64_t length = row_ptr[i + 1] - row_ptr[i];
    count[i] = length > n ? kLongRow + (length + piece - 1) / piece : 0;
}

__global__ void list_long_rows(const std::int64_t* place, index_t rows, index_t* long_row,
                               std::int32_t* piece_ptr) {
    const std::int64_t i = global_thread();
    if (i > rows || (i < rows && place[i] == place[i + 1])) return;
    const std::int64_t k = place[i] / kLongRow;
    piece_ptr[k] = static_cast<std::int32_t>(place[i] % kLongRow);
    if (i < rows) long_row[k] = static_cast<index_t>(i);
}

constexpr int kMostTilesOfPiece = 8;

/// Small pieces keep every multiprocessor busy; large ones leave less to add up. So they grow once
/// the matrix has more entries than the device can have in flight.
template <class T, class P>
P piece_entries_of(CsrView<T, P> a, int n) {
    constexpr std::int64_t kInFlight = 8192;  // entries, per multiprocessor
    const std::int64_t rounds =
        static_cast<std::int64_t>(a.nnz()) / (kInFlight * multiprocessors());
    return static_cast<P>(n * std::clamp<std::int64_t>(rounds, 1, kMostTilesOfPiece));
}

template <class T, class P>
void cut_long_rows(CsrTilesStorage<T, P>& s) {
    const CsrView<T, P>& a = s.a;
    if (a.rows == 0) return;
    s.piece_entries = piece_entries_of(a, s.n);
    DeviceBuffer<std::int64_t> place(static_cast<std::size_t>(a.rows) + 1);
    count_pieces<<<blocks_for(a.rows, kThreads), kThreads>>>(a.row_ptr, a.rows, s.n,
                                                             s.piece_entries, place.data());
    SPTUNE_CUDA_LAUNCHED("count_pieces");
    const std::int64_t total = counts_to_pointers(place);
    if (total == 0) return;
    const auto longs = static_cast<std::size_t>(total / kLongRow);
    const auto pieces = static_cast<std::size_t>(total % kLongRow);
    if (pieces > std::numeric_limits<std::int32_t>::max())
        throw Error("long rows of 2^31 pieces or more are not supported");
    s.pieces.long_row = DeviceBuffer<index_t>(longs);
    s.pieces.piece_ptr = DeviceBuffer<std::int32_t>(longs + 1);
    list_long_rows<<<blocks_for(std::int64_t{a.rows} + 1, kThreads), kThreads>>>(
        place.data(), a.rows, s.pieces.long_row.data(), s.pieces.piece_ptr.data());
    SPTUNE_CUDA_LAUNCHED("list_long_rows");
    name_pieces(s.pieces, pieces);
}

template <class T, class P>
DeviceBuffer<CsrTile<P>> make_tiles(CsrView<T, P> a, int n) {
    const DeviceBuffer<index_t> tile_row = cut_tiles<0>(a, n);
    DeviceBuffer<CsrTile<P>> tile(tile_row.size() - 1);
    const auto tiles = static_cast<index_t>(tile.size());
    if (a.rows == 0) {  // then there may be no row_ptr
        tile.fill_bytes(0);
        return tile;
    }
    describe_tiles<<<blocks_for(tiles, kThreads), kThreads>>>(a.row_ptr, tile_row.data(), n, tiles,
                                                              tile.data());
    SPTUNE_CUDA_LAUNCHED("describe_tiles");
    return tile;
}

/// Entries in narrow tiles.
template <class T, class P>
std::int64_t mark_narrow_tiles(CsrView<T, P> a, DeviceBuffer<CsrTile<P>>& tile) {
    DeviceBuffer<std::int64_t> entries(tile.size());
    find_bases<<<static_cast<unsigned>(tile.size()), kThreads>>>(a.col_idx, tile.data(),
                                                                 entries.data());
    SPTUNE_CUDA_LAUNCHED("find_bases");
    return sum_of(entries.data(), static_cast<std::int64_t>(tile.size()));
}

}  // namespace

template <class T, class P>
std::uint64_t CsrStorage<T, P>::bytes() const {
    return csr_bytes(a);
}

template <class T, class P>
Footprint CsrFormat::inspect(CsrView<T, P> a, const Features&, const Params&) {
    return {.storage_bytes = 0, .moved_bytes = csr_bytes(a), .illegal = {}};
}

template <class T, class P>
std::unique_ptr<Storage> CsrFormat::convert(CsrView<T, P> a, const Params&, int) {
    return std::make_unique<CsrStorage<T, P>>(a);
}

template <class T, class P>
Footprint CsrTilesFormat::inspect(CsrView<T, P> a, const Features&, const Params& params) {
    const int n = get(params, "n");
    const std::uint64_t nnz = static_cast<std::uint64_t>(a.nnz());
    const std::uint64_t tiles = (nnz + static_cast<std::uint64_t>(a.rows)) / n + 1;
    Footprint f;
    // A long row has one piece more than it has whole ones.
    const std::uint64_t pieces = 2 * (nnz / n);
    f.storage_bytes = tiles * sizeof(CsrTile<P>) + pieces * (sizeof(T) + sizeof(std::int32_t)) +
                      nnz / n * (sizeof(index_t) + sizeof(std::int32_t) + sizeof(unsigned)) +
                      sizeof(std::int32_t);
    f.moved_bytes = csr_bytes(a) + tiles * sizeof(CsrTile<P>);
    if (get(params, "x") == 16) {
        DeviceBuffer<CsrTile<P>> tile = make_tiles(a, n);
        const std::int64_t narrow = mark_narrow_tiles(a, tile);
        f.storage_bytes += nnz * sizeof(std::uint16_t);
        f.moved_bytes -= static_cast<std::uint64_t>(narrow) * sizeof(std::uint16_t);
        if (narrow == 0) f.illegal = "no tile spans less than 65536 columns";
    }
    // The positions where a piece would end if its row were longer have to be of type P.
    if (nnz > static_cast<std::uint64_t>(std::numeric_limits<P>::max()) - kMostTilesOfPiece * n)
        f.illegal = "almost 2^31 entries: this takes 64-bit row pointers";
    return f;
}

template <class T, class P>
std::unique_ptr<Storage> CsrTilesFormat::convert(CsrView<T, P> a, const Params& params, int) {
    auto s = std::make_unique<CsrTilesStorage<T, P>>();
    s->a = a;
    s->n = get(params, "n");
    s->tile = make_tiles(a, s->n);
    cut_long_rows(*s);
    s->moved_bytes = csr_bytes(a) + s->tile.bytes() + s->pieces.piece_long.bytes();
    if (get(params, "x") == 16) {
        s->moved_bytes -=
            static_cast<std::uint64_t>(mark_narrow_tiles(a, s->tile)) * sizeof(std::uint16_t);
        s->offset = DeviceBuffer<std::uint16_t>(static_cast<std::size_t>(a.nnz()));
        fill_offsets<<<static_cast<unsigned>(s->tiles()), kThreads>>>(a.col_idx, s->tile.data(),
                                                                      s->offset.data());
        SPTUNE_CUDA_LAUNCHED("fill_offsets");
    }
    SPTUNE_CUDA(cudaStreamSynchronize(nullptr));
    return s;
}

template <class T, class P>
std::uint64_t CsrMergeStorage<T, P>::bytes() const {
    return csr_bytes(a) + tile_row.bytes() + carry.bytes();
}

template <class T, class P>
Footprint CsrMergeFormat::inspect(CsrView<T, P> a, const Features&, const Params& params) {
    const std::uint64_t tiles =
        (static_cast<std::uint64_t>(a.nnz()) + static_cast<std::uint64_t>(a.rows)) /
            get(params, "m") +
        1;
    Footprint f;
    f.storage_bytes = (tiles + 1) * sizeof(index_t) + tiles * sizeof(T);
    f.moved_bytes = csr_bytes(a) + tiles * (sizeof(index_t) + sizeof(T));
    return f;
}

template <class T, class P>
std::unique_ptr<Storage> CsrMergeFormat::convert(CsrView<T, P> a, const Params& params, int) {
    auto s = std::make_unique<CsrMergeStorage<T, P>>();
    s->a = a;
    s->n = get(params, "m");
    s->tile_row = cut_tiles<1>(a, s->n);
    s->carry = DeviceBuffer<T>(static_cast<std::size_t>(s->tiles()));
    SPTUNE_CUDA(cudaStreamSynchronize(nullptr));
    return s;
}

SPTUNE_INSTANTIATE_FORMAT(CsrFormat)
SPTUNE_INSTANTIATE_FORMAT(CsrTilesFormat)
SPTUNE_INSTANTIATE_FORMAT(CsrMergeFormat)
#define SPTUNE_INSTANTIATE(T, P)     \
    template class CsrStorage<T, P>; \
    template class CsrMergeStorage<T, P>;
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune::cuda
