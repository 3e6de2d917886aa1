// The device-wide building blocks of conversions, on CUB, compiled once: in scan.cu, reduce.cu and
// positions.cu, since the first use of a source loads all of it. (Sorting is sort.hpp.) All run in
// the default stream and take their scratch memory of what DeviceBuffers keep. Sizes may pass 2^31.
#pragma once

#include "matrix/cuda/device_buffer.hpp"
#include "matrix/types.hpp"

#include <cstdint>

namespace sptune::cuda {

/// Turns counts[0, size - 1) into where each part begins, in place: element i becomes the sum of
/// those before it, the last element the total, which is returned. What the last element held is
/// ignored. Waits for the device.
std::int64_t counts_to_pointers(DeviceBuffer<std::int64_t>& counts);
/// The same where the total must stay below 2^31; throws Error beyond.
std::int32_t counts_to_pointers(DeviceBuffer<std::int32_t>& counts);

/// Largest of `size` numbers, 0 for none. Waits for the device.
std::int64_t max_of(const std::int64_t* numbers, std::int64_t size);
std::int32_t max_of(const std::int32_t* numbers, std::int64_t size);
/// Their sum, in 64 bits. Waits for the device.
std::int64_t sum_of(const std::int64_t* numbers, std::int64_t size);
std::int64_t sum_of(const std::int32_t* numbers, std::int64_t size);

/// Positions i, rising, for which flags[i] is not 0.
DeviceBuffer<std::int64_t> positions_of(const std::uint8_t* flags, std::int64_t size);

}  // namespace sptune::cuda
