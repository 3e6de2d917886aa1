#include "kernels/cuda/primitives.hpp"
#include "kernels/cuda/row_lengths.hpp"
#include "kernels/instantiate.hpp"
#include "kernels/spmv/ell_fill.cuh"
#include "kernels/spmv/hyb/cuda_format.hpp"
#include "kernels/spmv/name_pieces.cuh"

#include <limits>

namespace sptune::cuda {
namespace {

constexpr int kThreads = 256;
/// Pointers into the rest are 32-bit, and kernels look a little ahead.
constexpr std::int64_t kMostRest = std::numeric_limits<std::int32_t>::max() - 1024;

/// Shortest width that `percent` of the rows fit into.
template <class T, class P>
index_t quantile_width(CsrView<T, P> a, int percent) {
    if (a.rows == 0) return 0;
    const DeviceBuffer<std::uint32_t> rising =
        sorted_lengths(a.row_ptr, a.rows, longest_row(a.row_ptr, a.rows));
    return static_cast<index_t>(
        rising.at(static_cast<std::size_t>((std::int64_t{a.rows} - 1) * percent / 100)));
}

template <class P>
__device__ std::int64_t rest_of(const P* row_ptr, std::int64_t i, index_t width) {
    return max(std::int64_t{0}, static_cast<std::int64_t>(row_ptr[i + 1] - row_ptr[i]) - width);
}

struct RestTotals {
    unsigned long long entries, longs, pieces;
};

/// Entries of the longest rest of this slice that counts as short; n: the rest of this lane's row,
/// 0 beyond the last. All lanes take part.
__device__ __forceinline__ int short_limit(std::int64_t n) {
    int limit = kShortRest;
    while (limit > kLeastShortRest &&
           __reduce_add_sync(kFullMask, n <= limit ? static_cast<unsigned>(n) : 0u) > kShortOfSlice)
        limit /= 2;
    return limit;
}

/// A warp per slice at a time.
template <class P>
__global__ void total_rest(const P* row_ptr, index_t rows, index_t width, RestTotals* totals) {
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    const int lane = static_cast<int>(threadIdx.x % kWarp);
    unsigned long long entries = 0, longs = 0, pieces = 0;
    for (std::int64_t i = global_thread(); i - lane < rows; i += stride) {
        const std::int64_t n = i < rows ? rest_of(row_ptr, i, width) : 0;
        entries += n;
        if (n > short_limit(n)) ++longs, pieces += (n + kRestPiece - 1) / kRestPiece;
    }
    entries = group_sum<kWarp>(entries);
    longs = group_sum<kWarp>(longs);
    pieces = group_sum<kWarp>(pieces);
    if (lane != 0 || entries == 0) return;
    atomicAdd(&totals->entries, entries);
    if (longs) atomicAdd(&totals->longs, longs), atomicAdd(&totals->pieces, pieces);
}

template <class T, class P>
RestTotals find_totals(CsrView<T, P> a, index_t width) {
    RestTotals totals{};
    if (a.rows == 0) return totals;
    DeviceBuffer<RestTotals> found(1);
    found.fill_bytes(0);
    const unsigned blocks =
        std::min(blocks_for(a.rows, kThreads), 8u * static_cast<unsigned>(multiprocessors()));
    total_rest<<<blocks, kThreads>>>(a.row_ptr, a.rows, width, found.data());
    SPTUNE_CUDA_LAUNCHED("total_rest");
    return found.at(0);
}

/// A warp per slice: how many entries each row adds to the short rests, and which rests are long.
template <class P>
__global__ void split_rests(const P* row_ptr, index_t rows, index_t width, std::int32_t* count,
                            unsigned* long_mask, std::uint8_t* is_long) {
    const std::int64_t i = global_thread();
    const std::int64_t n = i < rows ? rest_of(row_ptr, i, width) : 0;
    const bool goes_apart = n > short_limit(n);
    const unsigned mask = __ballot_sync(kFullMask, goes_apart);
    if (i >= rows) return;
    count[i] = goes_apart ? 0 : static_cast<std::int32_t>(n);
    is_long[i] = goes_apart;
    if (threadIdx.x % kWarp == 0) long_mask[i / kWarp] = mask;
}

/// Eight lanes to a row.
template <class T, class P>
__global__ void fill_short_rests(CsrView<T, P> a, index_t width, const std::int32_t* rest_ptr,
                                 index_t* column, T* values) {
    constexpr int kLanes = 8;
    const std::int64_t i = global_thread() / kLanes;
    if (i >= a.rows) return;
    const std::int32_t to = rest_ptr[i], n = rest_ptr[i + 1] - to;
    if (n == 0) return;
    const P from = a.row_ptr[i] + width;
    for (int k = static_cast<int>(threadIdx.x % kLanes); k < n; k += kLanes) {
        column[to + k] = a.col_idx[from + k];
        values[to + k] = a.values[from + k];
    }
}

template <class P>
__global__ void list_long_rests(const P* row_ptr, const std::int64_t* positions, int longs,
                                index_t width, index_t* long_row, std::int32_t* entries,
                                std::int32_t* pieces) {
    const std::int64_t l = global_thread();
    if (l >= longs) return;
    const std::int64_t n = rest_of(row_ptr, positions[l], width);
    long_row[l] = static_cast<index_t>(positions[l]);
    entries[l] = static_cast<std::int32_t>(n);
    pieces[l] = static_cast<std::int32_t>((n + kRestPiece - 1) / kRestPiece);
}

/// A block per piece.
template <class T, class P>
__global__ void fill_long_rests(CsrView<T, P> a, index_t width, const index_t* long_row,
                                const std::int32_t* long_ptr, const std::int32_t* piece_ptr,
                                const std::int32_t* piece_long, index_t* column, T* values) {
    const int piece = static_cast<int>(blockIdx.x), l = piece_long[piece];
    const std::int32_t begin = (piece - piece_ptr[l]) * kRestPiece;
    const std::int32_t end = min(begin + kRestPiece, long_ptr[l + 1] - long_ptr[l]);
    const P from = a.row_ptr[long_row[l]] + width;
    for (std::int32_t k = begin + static_cast<int>(threadIdx.x); k < end;
         k += static_cast<int>(blockDim.x)) {
        column[long_ptr[l] + k] = a.col_idx[from + k];
        values[long_ptr[l] + k] = a.values[from + k];
    }
}

template <class T, class P>
void cut_long_rests(HybStorage<T>& s, CsrView<T, P> a, const DeviceBuffer<std::int64_t>& rows) {
    const int longs = static_cast<int>(rows.size());
    Pieces<T>& p = s.pieces;
    p.long_row = DeviceBuffer<index_t>(rows.size());
    s.long_ptr = DeviceBuffer<std::int32_t>(rows.size() + 1);
    p.piece_ptr = DeviceBuffer<std::int32_t>(rows.size() + 1);
    list_long_rests<<<blocks_for(longs, kThreads), kThreads>>>(
        a.row_ptr, rows.data(), longs, s.width, p.long_row.data(), s.long_ptr.data(),
        p.piece_ptr.data());
    SPTUNE_CUDA_LAUNCHED("list_long_rests");
    counts_to_pointers(s.long_ptr);
    const auto pieces = static_cast<std::size_t>(counts_to_pointers(p.piece_ptr));
    name_pieces(p, pieces);
    fill_long_rests<<<static_cast<unsigned>(pieces), 128>>>(
        a, s.width, p.long_row.data(), s.long_ptr.data(), p.piece_ptr.data(), p.piece_long.data(),
        s.rest_column.data() + s.short_entries, s.rest_values.data() + s.short_entries);
    SPTUNE_CUDA_LAUNCHED("fill_long_rests");
}

}  // namespace

template <class T, class P>
Footprint HybFormat::inspect(CsrView<T, P> a, const Features&, const Params& params) {
    const index_t width = quantile_width(a, get(params, "q"));
    const RestTotals rest = find_totals(a, width);
    const auto slices = static_cast<std::uint64_t>(slices_of(a.rows));
    const std::uint64_t entry = sizeof(T) + sizeof(index_t);
    const std::uint64_t rest_ptr = (static_cast<std::uint64_t>(a.rows) + 1) * sizeof(std::int32_t);
    Footprint f;
    // Of 32 rows without a rest only one sector of the pointers is read.
    f.moved_bytes = (slices * kSlice * static_cast<std::uint64_t>(width) + rest.entries) * entry +
                    rest_ptr / 4 + slices * sizeof(unsigned);
    f.storage_bytes = f.moved_bytes + rest_ptr + (4 * rest.longs + 2) * sizeof(std::int32_t) +
                      rest.pieces * (sizeof(std::int32_t) + sizeof(T));
    if (width == 0)
        f.illegal = "too many empty rows: nothing would go into the ELL part";
    else if (rest.entries == 0)
        f.illegal = "no row is longer than the ELL part: the same as ell";
    else if (rest.entries > static_cast<unsigned long long>(kMostRest))
        f.illegal = "2^31 entries or more do not fit into the ELL part";
    return f;
}

template <class T, class P>
std::unique_ptr<Storage> HybFormat::convert(CsrView<T, P> a, const Params& params, int) {
    auto s = std::make_unique<HybStorage<T>>();
    s->rows = a.rows;
    s->cols = a.cols;
    if (a.rows == 0) return s;
    const auto rows = static_cast<std::size_t>(a.rows);
    s->width = quantile_width(a, get(params, "q"));
    s->pitch = slices_of(a.rows) * kSlice;
    s->values = DeviceBuffer<T>(static_cast<std::size_t>(s->pitch) * s->width);
    s->column = DeviceBuffer<index_t>(s->values.size());
    fill_ell(a,
             EllFill<T, index_t>{s->values.data(), s->column.data(), nullptr, s->pitch, s->width});

    const RestTotals rest = find_totals(a, s->width);
    s->rest_column = DeviceBuffer<index_t>(static_cast<std::size_t>(rest.entries));
    s->rest_values = DeviceBuffer<T>(s->rest_column.size());
    s->rest_ptr = DeviceBuffer<std::int32_t>(rows + 1);
    s->long_mask = DeviceBuffer<unsigned>(static_cast<std::size_t>(slices_of(a.rows)));
    DeviceBuffer<std::uint8_t> is_long(rows);
    split_rests<<<blocks_for(a.rows, kThreads), kThreads>>>(
        a.row_ptr, a.rows, s->width, s->rest_ptr.data(), s->long_mask.data(), is_long.data());
    SPTUNE_CUDA_LAUNCHED("split_rests");
    s->short_entries = counts_to_pointers(s->rest_ptr);
    if (s->short_entries > 0) {
        fill_short_rests<<<blocks_for(a.rows, kThreads / 8), kThreads>>>(
            a, s->width, s->rest_ptr.data(), s->rest_column.data(), s->rest_values.data());
        SPTUNE_CUDA_LAUNCHED("fill_short_rests");
    }
    if (rest.longs > 0) cut_long_rests(*s, a, positions_of(is_long.data(), a.rows));
    SPTUNE_CUDA(cudaStreamSynchronize(nullptr));
    return s;
}

SPTUNE_INSTANTIATE_FORMAT(HybFormat)

}  // namespace sptune::cuda
