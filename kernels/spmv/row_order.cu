#include "kernels/cuda/device.cuh"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/primitives.hpp"
#include "kernels/cuda/sort.hpp"
#include "kernels/params.hpp"
#include "kernels/spmv/row_order.cuh"

#include <algorithm>

namespace sptune::cuda {
namespace {

constexpr int kThreads = 256;

template <class P>
__global__ void row_lengths(const P* row_ptr, index_t rows, index_t* length) {
    const std::int64_t i = global_thread();
    if (i < rows) length[i] = static_cast<index_t>(row_ptr[i + 1] - row_ptr[i]);
}

/// The window in the upper bits, how much shorter than the longest row in the lower ones: a stable
/// sort by rising keys puts long rows first.
template <class Key>
__global__ void order_keys(const index_t* length, index_t rows, index_t longest, int length_bits,
                           std::int64_t window, Key* key, index_t* order) {
    const std::int64_t i = global_thread();
    if (i >= rows) return;
    key[i] = static_cast<Key>(i / window) << length_bits | static_cast<Key>(longest - length[i]);
    order[i] = static_cast<index_t>(i);
}

template <class Key>
DeviceBuffer<index_t> sort_windows(const DeviceBuffer<index_t>& length, index_t longest,
                                   int length_bits, std::int64_t window, int bits) {
    const auto rows = static_cast<index_t>(length.size());
    DeviceBuffer<Key> key(length.size());
    DeviceBuffer<index_t> order(length.size());
    order_keys<<<blocks_for(rows, kThreads), kThreads>>>(length.data(), rows, longest, length_bits,
                                                         window, key.data(), order.data());
    SPTUNE_CUDA_LAUNCHED("order_keys");
    sort_by_key(key, order, bits);
    return order;
}

}  // namespace

template <class P>
DeviceBuffer<index_t> order_rows(const P* row_ptr, index_t rows, int sigma) {
    if (sigma == 1 || rows == 0) return {};
    DeviceBuffer<index_t> length(static_cast<std::size_t>(rows));
    row_lengths<<<blocks_for(rows, kThreads), kThreads>>>(row_ptr, rows, length.data());
    SPTUNE_CUDA_LAUNCHED("row_lengths");
    const index_t longest = max_of(length.data(), rows);
    const int length_bits = bits_for(static_cast<std::uint64_t>(longest));
    const std::int64_t window = sigma == kAll ? rows : sigma;
    const int bits = length_bits + bits_for(static_cast<std::uint64_t>((rows - 1) / window));
    return bits <= 32 ? sort_windows<std::uint32_t>(length, longest, length_bits, window, bits)
                      : sort_windows<std::uint64_t>(length, longest, length_bits, window, bits);
}

template DeviceBuffer<index_t> order_rows(const std::int32_t*, index_t, int);
template DeviceBuffer<index_t> order_rows(const std::int64_t*, index_t, int);

}  // namespace sptune::cuda
