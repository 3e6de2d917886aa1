#include "kernels/cuda/device.cuh"
#include "kernels/cuda/primitives.hpp"
#include "kernels/cuda/row_lengths.hpp"
#include "kernels/spmm/cuda.hpp"
#include "kernels/spmm/row_lengths.hpp"
#include "matrix/cuda/check.hpp"
#include "matrix/cuda/grid.hpp"

#include <algorithm>
#include <vector>

namespace sptune::cuda {
namespace {

constexpr int kThreads = 256;

template <class P>
__global__ void flag_long_rows(const P* row_ptr, index_t rows, std::int64_t longer_than,
                               std::uint8_t* flag) {
    const std::int64_t i = global_thread();
    if (i < rows) flag[i] = row_ptr[i + 1] - row_ptr[i] > longer_than;
}

template <class P>
__global__ void bounds_of_rows(const P* row_ptr, const std::int64_t* row, std::int64_t count,
                               LongPiece* bounds) {
    const std::int64_t k = global_thread();
    if (k >= count) return;
    const std::int64_t i = row[k];
    bounds[k] = {row_ptr[i], row_ptr[i + 1], static_cast<index_t>(i)};
}

}  // namespace

template <class P>
std::shared_ptr<const RowLengths> look_at_rows(const P* row_ptr, index_t rows) {
    auto found = std::make_shared<RowLengths>();
    const index_t longest = longest_row(row_ptr, rows);
    if (longest == 0) return found;
    P entries = 0;
    SPTUNE_CUDA(cudaMemcpy(&entries, row_ptr + rows, sizeof(P), cudaMemcpyDeviceToHost));
    const double mean = static_cast<double>(entries) / rows;
    constexpr double kEven = 128, kTimesMean = 16;
    found->uneven = static_cast<double>(longest) > std::max(kEven, kTimesMean * mean);
    constexpr double kLeastLong = 256, kLongTimesMean = 4;
    found->long_row = static_cast<std::int64_t>(std::max(kLeastLong, kLongTimesMean * mean));
    try {
        sort_pieces(row_ptr, rows, longest, mean, *found);
    } catch (const OutOfMemory&) {  // it goes without
    }
    if (longest <= found->long_row) return found;
    DeviceBuffer<std::uint8_t> flag(static_cast<std::size_t>(rows));
    flag_long_rows<<<blocks_for(rows, kThreads), kThreads>>>(row_ptr, rows, found->long_row,
                                                             flag.data());
    SPTUNE_CUDA_LAUNCHED("flag_long_rows");
    const DeviceBuffer<std::int64_t> row = positions_of(flag.data(), rows);
    const auto count = static_cast<std::int64_t>(row.size());
    DeviceBuffer<LongPiece> bounds(row.size());
    bounds_of_rows<<<blocks_for(count, kThreads), kThreads>>>(row_ptr, row.data(), count,
                                                              bounds.data());
    SPTUNE_CUDA_LAUNCHED("bounds_of_rows");
    constexpr std::int64_t kMostPieces = 1 << 20;
    const std::int64_t piece =
        std::max<std::int64_t>(kLongRow, std::int64_t{entries} / kMostPieces);
    std::vector<LongPiece> pieces;
    for (const LongPiece& one : bounds.to_host())
        for (std::int64_t begin = one.begin; begin < one.end; begin += piece)
            pieces.push_back({begin, std::min(begin + piece, one.end), one.row});
    found->long_pieces = DeviceBuffer<LongPiece>(pieces.data(), pieces.size());
    SPTUNE_CUDA(cudaStreamSynchronize(nullptr));  // other streams may read them at once
    return found;
}

std::uint64_t bytes_of(const RowLengths& lengths) {
    return lengths.long_pieces.bytes() + lengths.sorted_pieces.bytes() + lengths.cut_rows.bytes();
}

template std::shared_ptr<const RowLengths> look_at_rows(const std::int32_t*, index_t);
template std::shared_ptr<const RowLengths> look_at_rows(const std::int64_t*, index_t);

}  // namespace sptune::cuda
