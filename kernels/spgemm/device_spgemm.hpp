// What the SpGEMM kernels of the GPU share on the host.
#pragma once

#include "kernels/spgemm/device_product.hpp"

#include <cuda_runtime_api.h>

namespace sptune::cuda {

inline cudaStream_t stream_of(const SpgemmLaunch& launch) {
    return static_cast<cudaStream_t>(launch.stream);
}

/// Device memory comes in the order of the default stream: makes sure that `stream` may use it.
void allow_allocations(cudaStream_t stream);

/// A product without entries.
template <class T, class P>
DeviceCsr<T, P> empty_product(index_t rows, index_t cols, cudaStream_t stream);

/// Leaves out the entries that are exactly 0: where there are any, C moves to new arrays. Waits for
/// the device. Throws OutOfMemory, also where both would take more than `memory_bytes`.
template <class T, class P>
void drop_zeros(DeviceCsr<T, P>& c, cudaStream_t stream, std::uint64_t memory_bytes);

/// Whether the columns of each row rise. In the default stream; waits for the device.
template <class T, class P>
bool rows_sorted(CsrView<T, P> c);

/// C of these sizes, not filled. Takes `row_ptr` over at the end only. Throws SizeOverflow where P
/// cannot count the entries, OutOfMemory where C and `others` bytes beside it pass `memory_bytes`
/// or the device's memory.
template <class T, class P>
DeviceCsr<T, P> allocate_product(index_t rows, index_t cols, std::uint64_t entries,
                                 DeviceBuffer<P>&& row_ptr, std::uint64_t others,
                                 std::uint64_t memory_bytes);

}  // namespace sptune::cuda
