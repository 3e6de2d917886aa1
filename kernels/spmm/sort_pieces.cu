// Rows cut into pieces, sorted by how many entries those have.
#include "kernels/cuda/primitives.hpp"
#include "kernels/cuda/rows_of_entries.hpp"
#include "kernels/cuda/sort.hpp"
#include "kernels/spmm/row_lengths.hpp"
#include "matrix/cuda/check.hpp"
#include "matrix/cuda/device.cuh"
#include "matrix/cuda/grid.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace sptune::cuda {
namespace {

constexpr int kThreads = 256;
/// Lanes with fewer entries have little to wait for.
constexpr index_t kShort = 32;
/// Between these lies what a piece may have at most. Fewer make more sums that several add to, more
/// leave the last ones alone for long.
constexpr double kFewestAllowed = 64, kMostAllowed = 256;

template <class P>
__global__ void count_pieces(const P* row_ptr, index_t rows, int most, std::int64_t* count,
                             std::uint8_t* is_cut) {
    const std::int64_t i = global_thread();
    if (i >= rows) return;
    const std::int64_t length = row_ptr[i + 1] - row_ptr[i];
    count[i] = length <= most ? 1 : (length + most - 1) / most;
    is_cut[i] = length > most;
}

/// Of each row its pieces, as equal as can be.
template <class P>
struct Cut {
    const P* row_ptr;
    const std::int64_t* first;  ///< piece of each row
    const index_t* row_of;      ///< each piece

    __device__ RowPiece piece(std::int64_t at) const {
        const index_t row = row_of[at];
        const std::int64_t parts = first[row + 1] - first[row], part = at - first[row];
        const std::int64_t begin = row_ptr[row], length = row_ptr[row + 1] - begin;
        const std::int64_t from = length * part / parts, to = length * (part + 1) / parts;
        return {begin + from, row, static_cast<std::uint16_t>(to - from), parts == 1};
    }
};

template <class P>
__global__ void order_pieces(Cut<P> cut, index_t pieces, int most, std::uint32_t* key,
                             index_t* item) {
    const std::int64_t at = global_thread();
    if (at >= pieces) return;
    key[at] = static_cast<std::uint32_t>(most - cut.piece(at).count);
    item[at] = static_cast<index_t>(at);
}

template <class P>
__global__ void write_pieces(Cut<P> cut, const index_t* item, index_t pieces, RowPiece* piece) {
    const std::int64_t at = global_thread();
    if (at < pieces) piece[at] = cut.piece(item[at]);
}

}  // namespace

template <class P>
void sort_pieces(const P* row_ptr, index_t rows, index_t longest, double mean, RowLengths& found) {
    if (longest <= std::max<double>(kShort, 2 * mean)) return;
    const auto most = static_cast<int>(std::clamp(4 * mean, kFewestAllowed, kMostAllowed));
    const auto count = static_cast<std::size_t>(rows);
    DeviceBuffer<std::int64_t> first(count + 1);
    DeviceBuffer<std::uint8_t> is_cut(count);
    count_pieces<<<blocks_for(rows, kThreads), kThreads>>>(row_ptr, rows, most, first.data(),
                                                           is_cut.data());
    SPTUNE_CUDA_LAUNCHED("count_pieces");
    const std::int64_t all = counts_to_pointers(first);
    if (all > std::numeric_limits<index_t>::max()) return;
    const auto pieces = static_cast<index_t>(all);
    const auto size = static_cast<std::size_t>(all);
    DeviceBuffer<index_t> row_of(size), item(size);
    rows_of_entries(first.data(), rows, all, row_of.data());
    const Cut<P> cut{row_ptr, first.data(), row_of.data()};
    DeviceBuffer<std::uint32_t> key(size);
    order_pieces<<<blocks_for(all, kThreads), kThreads>>>(cut, pieces, most, key.data(),
                                                          item.data());
    SPTUNE_CUDA_LAUNCHED("order_pieces");
    sort_by_key(key, item, bits_for(static_cast<std::uint64_t>(most)));
    DeviceBuffer<std::int64_t> cut_rows = positions_of(is_cut.data(), rows);
    DeviceBuffer<RowPiece> sorted(size);
    write_pieces<<<blocks_for(all, kThreads), kThreads>>>(cut, item.data(), pieces, sorted.data());
    SPTUNE_CUDA_LAUNCHED("write_pieces");
    SPTUNE_CUDA(cudaStreamSynchronize(nullptr));  // other streams may read them at once
    found.cut_rows = std::move(cut_rows);
    found.sorted_pieces = std::move(sorted);
}

template void sort_pieces(const std::int32_t*, index_t, index_t, double, RowLengths&);
template void sort_pieces(const std::int64_t*, index_t, index_t, double, RowLengths&);

}  // namespace sptune::cuda
