// What verifying does on the device.
#pragma once

#include "tuner/tolerance.hpp"

#include <cstdint>

#include <cuda_runtime_api.h>

namespace sptune::tuner::cuda {

/// y becomes y0, or all NaN with `poison`.
template <class T>
void prepare_y(const T* y0, bool poison, T* y, std::int64_t rows, cudaStream_t stream);

/// Raises *worst (0 at first) to the largest error over allowed error, as the bits of a float in
/// the upper half, with the complement of its row in the lower half: of equal ones the first row.
template <class T>
void find_worst(const T* y, const T* y0, const double* reference, const double* bound,
                Tolerance tolerance, std::int64_t rows, unsigned long long* worst,
                cudaStream_t stream);

}  // namespace sptune::tuner::cuda
