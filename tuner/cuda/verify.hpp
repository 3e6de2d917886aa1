// The check of tuner/verify.hpp for results that lie in device memory.
#pragma once

#include "matrix/cuda/device_buffer.hpp"
#include "tuner/cuda/timer.hpp"
#include "tuner/verify.hpp"

namespace sptune::tuner {

/// A Problem in the memory of the current GPU.
template <class T>
struct DeviceProblem {
    DeviceBuffer<T> x, y, y0;
    DeviceBuffer<double> reference, bound;
    DeviceBuffer<unsigned long long> worst;  ///< one; scratch of verify

    explicit DeviceProblem(const Problem<T>& p)
        : x(p.x), y(p.y), y0(p.y0), reference(p.reference), bound(p.bound), worst(1) {}
};

/// As verify() on the host; the calls are timed by `timer` and run in its stream.
template <class T, class P>
Verdict verify(const SpmvKernel<T, P>& kernel, const Storage& storage, DeviceProblem<T>& problem,
               CudaTimer& timer);

}  // namespace sptune::tuner
