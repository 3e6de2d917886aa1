// The small kernels that measuring itself needs.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

namespace sptune::tuner::cuda {

/// Occupies the stream for `nanoseconds` and stores the clock of the multiprocessors in that time.
void keep_busy(int nanoseconds, float* mhz, cudaStream_t stream);

/// Reads `bytes` from `data` (aligned to 16 bytes) `passes` times, on all multiprocessors.
void read_all(const void* data, std::size_t bytes, int passes, cudaStream_t stream);

/// Does nothing: what a launch costs, `early` as those of our kernels that multiply.
void empty_launch(bool early, cudaStream_t stream);

}  // namespace sptune::tuner::cuda
