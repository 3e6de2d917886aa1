#include "kernels/cuda/device.cuh"
#include "kernels/cuda/launch.hpp"
#include "tuner/cuda/verify.hpp"
#include "tuner/tolerance.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

namespace sptune::tuner {
namespace {

using sptune::cuda::blocks_for;
using sptune::cuda::global_thread;
using sptune::cuda::kFullMask;

constexpr int kThreads = 256;

template <class T>
__global__ void prepare_y(const T* y0, bool poison, T nan, T* y, std::int64_t rows) {
    const std::int64_t i = global_thread();
    if (i < rows) y[i] = poison ? nan : y0[i];
}

/// Error over allowed error in the upper half, the complement of the row in the lower half: the
/// maximum is the largest error, the first row of those.
template <class T>
__global__ void find_worst(const T* y, const T* y0, const double* reference, const double* bound,
                           Tolerance tolerance, std::int64_t rows, unsigned long long* worst) {
    const std::int64_t i = global_thread();
    unsigned long long mine = 0;
    if (i < rows) {
        const double old = y0[i], limit = tolerance.allowed(bound[i], old);
        float error = 0;
        if (isfinite(limit))
            error = static_cast<float>(
                fabs(static_cast<double>(y[i]) - tolerance.expected(reference[i], old)) / limit);
        if (!isfinite(error)) error = 3.4e38f;  // NaN too; finite, so that it can be stored
        mine = static_cast<unsigned long long>(__float_as_uint(error)) << 32 |
               (0xffffffffu - static_cast<unsigned>(i));
    }
    for (int offset = 16; offset > 0; offset /= 2)
        mine = max(mine, __shfl_xor_sync(kFullMask, mine, offset));
    if (threadIdx.x % 32 == 0 && mine > 0) atomicMax(worst, mine);
}

struct Worst {
    double error = 0;
    std::int64_t row = -1;
};

template <class T>
Worst compare(DeviceProblem<T>& p, const Tolerance& tolerance, cudaStream_t stream) {
    const auto rows = static_cast<std::int64_t>(p.y.size());
    if (rows == 0) return {};
    SPTUNE_CUDA(cudaMemsetAsync(p.worst.data(), 0, p.worst.bytes(), stream));
    find_worst<<<blocks_for(rows, kThreads), kThreads, 0, stream>>>(
        p.y.data(), p.y0.data(), p.reference.data(), p.bound.data(), tolerance, rows,
        p.worst.data());
    SPTUNE_CUDA_LAUNCHED("find_worst");
    SPTUNE_CUDA(cudaStreamSynchronize(stream));
    const unsigned long long packed = p.worst.at(0);
    const auto bits = static_cast<std::uint32_t>(packed >> 32);
    float error;
    static_assert(sizeof error == sizeof bits);
    std::memcpy(&error, &bits, sizeof bits);
    return {error, static_cast<std::int64_t>(0xffffffffu - static_cast<std::uint32_t>(packed))};
}

template <class T>
std::string complain(const DeviceProblem<T>& p, const Tolerance& tolerance, std::int64_t row) {
    const auto i = static_cast<std::size_t>(row);
    const double old = p.y0.at(i);
    return fmt::format("row {} is {:.9g}, expected {:.9g} ± {:.1e} (α = {}, β = {})", row,
                       p.y.at(i), tolerance.expected(p.reference.at(i), old),
                       tolerance.allowed(p.bound.at(i), old), tolerance.alpha, tolerance.beta);
}

}  // namespace

template <class T, class P>
Verdict verify(const SpmvKernel<T, P>& kernel, const Storage& storage, DeviceProblem<T>& p,
               CudaTimer& timer) {
    const auto rows = static_cast<std::int64_t>(p.y.size());
    Verdict verdict;
    verdict.correct = true;
    verdict.call_us = std::numeric_limits<double>::infinity();
    struct Run {
        T alpha, beta;
    };
    for (const Run& run : {Run{1, 0}, Run{T(1.5), T(-0.5)}}) {
        if (rows > 0) {
            prepare_y<<<blocks_for(rows, kThreads), kThreads, 0, timer.stream()>>>(
                p.y0.data(), run.beta == 0, std::numeric_limits<T>::quiet_NaN(), p.y.data(), rows);
            SPTUNE_CUDA_LAUNCHED("prepare_y");
        }
        const std::function<void()> call = [&] {
            kernel.apply(storage, run.alpha, p.x.data(), run.beta, p.y.data(),
                         Launch{1, timer.stream()});
        };
        verdict.call_us = std::min(verdict.call_us, timer.per_call(call, 1, false));
        const Tolerance tolerance{run.alpha, run.beta, std::numeric_limits<T>::epsilon()};
        const Worst worst = compare(p, tolerance, timer.stream());
        if (worst.row < 0 || (verdict.row >= 0 && worst.error <= verdict.error)) continue;
        verdict.error = worst.error;
        verdict.row = worst.row;
        if (worst.error <= 1) continue;
        verdict.correct = false;
        verdict.complaint = complain(p, tolerance, worst.row);
    }
    return verdict;
}

#define SPTUNE_INSTANTIATE(T, P) \
    template Verdict verify(const SpmvKernel<T, P>&, const Storage&, DeviceProblem<T>&, CudaTimer&);
SPTUNE_INSTANTIATE(float, std::int32_t)
SPTUNE_INSTANTIATE(float, std::int64_t)
SPTUNE_INSTANTIATE(double, std::int32_t)
SPTUNE_INSTANTIATE(double, std::int64_t)
#undef SPTUNE_INSTANTIATE

}  // namespace sptune::tuner
