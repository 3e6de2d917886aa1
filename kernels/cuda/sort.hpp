// Sorting on the device, on CUB. Runs in the default stream and takes its scratch memory of what
// DeviceBuffers keep. Sizes may pass 2^31.
#pragma once

#include "matrix/cuda/device_buffer.hpp"
#include "matrix/types.hpp"

#include <cstdint>

namespace sptune::cuda {

/// Sorts `items` by the lowest `bits` bits of their keys, rising and stable (radix sort). Keys come
/// out sorted, too.
void sort_by_key(DeviceBuffer<std::uint32_t>& keys, DeviceBuffer<index_t>& items, int bits);
void sort_by_key(DeviceBuffer<std::uint64_t>& keys, DeviceBuffer<index_t>& items, int bits);
void sort_by_key(DeviceBuffer<std::uint64_t>& keys, DeviceBuffer<std::int64_t>& items, int bits);

/// Bits that a number in [0, limit] needs, at least 1.
int bits_for(std::uint64_t limit);

}  // namespace sptune::cuda
