#include "tuner/cuda/host_launch.hpp"

#include "matrix/cuda/beside_captures.hpp"
#include "matrix/cuda/per_device.hpp"
#include "tuner/cuda/helper_kernels.hpp"
#include "tuner/measure.hpp"
#include "tuner/statistics.hpp"

#include <exception>
#include <vector>

namespace sptune::tuner {
namespace {

/// A stream that the default stream does not wait for.
class OwnStream {
  public:
    OwnStream() { SPTUNE_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
    OwnStream(const OwnStream&) = delete;
    OwnStream& operator=(const OwnStream&) = delete;
    ~OwnStream() { cudaStreamDestroy(stream_); }
    operator cudaStream_t() const { return stream_; }

  private:
    cudaStream_t stream_ = nullptr;
};

/// The launches return at once, but no sooner than the next one may begin.
double measured_us() {
    constexpr int kRounds = 9, kLaunches = 4;
    const BesideCaptures relaxed;
    const OwnStream stream;
    for (int i = 0; i < kLaunches; ++i) cuda::empty_launch(true, stream);  // loads the code
    std::vector<double> us;
    for (int round = 0; round < kRounds; ++round) {
        const double start = steady_us();
        for (int i = 0; i < kLaunches; ++i) cuda::empty_launch(true, stream);
        us.push_back((steady_us() - start) / kLaunches);
    }
    SPTUNE_CUDA(cudaStreamSynchronize(stream));
    return median_of(us);
}

/// Nothing that asks for it depends on it.
double measured_or_0_us() noexcept {
    try {
        return measured_us();
    } catch (const std::exception&) {
        return 0;
    }
}

}  // namespace

double host_launch_us() {
    static sptune::cuda::PerDevice<double> known;
    return known.get(measured_or_0_us);
}

}  // namespace sptune::tuner
