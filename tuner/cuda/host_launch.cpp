#include "tuner/cuda/host_launch.hpp"

#include "matrix/cuda/per_device.hpp"
#include "tuner/cuda/helper_kernels.hpp"
#include "tuner/measure.hpp"
#include "tuner/statistics.hpp"

#include <vector>

namespace sptune::tuner {
namespace {

/// The launches return at once, but no sooner than the next one may begin.
double measured_us() {
    constexpr int kRounds = 9, kLaunches = 4;
    cudaStream_t stream = nullptr;
    SPTUNE_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (int i = 0; i < kLaunches; ++i) cuda::empty_launch(true, stream);  // loads the code
    std::vector<double> us;
    for (int round = 0; round < kRounds; ++round) {
        const double start = steady_us();
        for (int i = 0; i < kLaunches; ++i) cuda::empty_launch(true, stream);
        us.push_back((steady_us() - start) / kLaunches);
    }
    SPTUNE_CUDA(cudaStreamSynchronize(stream));
    SPTUNE_CUDA(cudaStreamDestroy(stream));
    return median_of(us);
}

}  // namespace

double host_launch_us() {
    static sptune::cuda::PerDevice<double> known;
    return known.get(measured_us);
}

}  // namespace sptune::tuner
