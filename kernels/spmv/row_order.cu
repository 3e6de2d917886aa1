#include "kernels/cuda/device.cuh"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/sort.hpp"
#include "kernels/params.hpp"
#include "kernels/spmv/row_order.cuh"

namespace sptune::cuda {
namespace {

constexpr int kThreads = 256;

/// The window in the upper bits, how much shorter than the longest row in the lower ones: a stable
/// sort by rising keys puts long rows first.
template <class Key, class P>
__global__ void order_keys(const P* row_ptr, index_t rows, index_t longest, int length_bits,
                           std::int64_t window, Key* key, index_t* order) {
    const std::int64_t i = global_thread();
    if (i >= rows) return;
    const P missing = longest - (row_ptr[i + 1] - row_ptr[i]);
    key[i] = static_cast<Key>(i / window) << length_bits | static_cast<Key>(missing);
    order[i] = static_cast<index_t>(i);
}

template <class Key, class P>
DeviceBuffer<index_t> sort_windows(const P* row_ptr, index_t rows, index_t longest, int length_bits,
                                   std::int64_t window, int bits) {
    DeviceBuffer<Key> key(static_cast<std::size_t>(rows));
    DeviceBuffer<index_t> order(key.size());
    order_keys<<<blocks_for(rows, kThreads), kThreads>>>(row_ptr, rows, longest, length_bits,
                                                         window, key.data(), order.data());
    SPTUNE_CUDA_LAUNCHED("order_keys");
    sort_by_key(key, order, bits);
    return order;
}

}  // namespace

template <class P>
DeviceBuffer<index_t> order_rows(const P* row_ptr, index_t rows, int sigma, index_t longest) {
    if (sigma == 1 || rows == 0) return {};
    const int length_bits = bits_for(static_cast<std::uint64_t>(longest));
    const std::int64_t window = sigma == kAll ? rows : sigma;
    const int bits = length_bits + bits_for(static_cast<std::uint64_t>((rows - 1) / window));
    return bits <= 32
               ? sort_windows<std::uint32_t>(row_ptr, rows, longest, length_bits, window, bits)
               : sort_windows<std::uint64_t>(row_ptr, rows, longest, length_bits, window, bits);
}

template DeviceBuffer<index_t> order_rows(const std::int32_t*, index_t, int, index_t);
template DeviceBuffer<index_t> order_rows(const std::int64_t*, index_t, int, index_t);

}  // namespace sptune::cuda
