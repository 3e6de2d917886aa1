#include "tuner/cuda/verify.hpp"

#include "tuner/cuda/verify_kernels.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

namespace sptune::tuner {
namespace {

struct Worst {
    double error = 0;
    std::int64_t row = -1;
};

template <class T>
Worst compare(DeviceProblem<T>& p, const Tolerance& tolerance, cudaStream_t stream) {
    const auto rows = static_cast<std::int64_t>(p.y.size());
    if (rows == 0) return {};
    SPTUNE_CUDA(cudaMemsetAsync(p.worst.data(), 0, p.worst.bytes(), stream));
    cuda::find_worst(p.y.data(), p.y0.data(), p.reference.data(), p.bound.data(), tolerance, rows,
                     p.worst.data(), stream);
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
        cuda::prepare_y(p.y0.data(), run.beta == 0, p.y.data(), rows, timer.stream());
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
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune::tuner
