// Work on a GPU while others may capture streams.
#pragma once

#include <cuda_runtime_api.h>

namespace sptune {

/// As long as one of these lives, the calling thread may allocate, and wait, while others capture
/// streams.
class BesideCaptures {
  public:
    BesideCaptures() { cudaThreadExchangeStreamCaptureMode(&mode_); }
    ~BesideCaptures() { cudaThreadExchangeStreamCaptureMode(&mode_); }
    BesideCaptures(const BesideCaptures&) = delete;
    BesideCaptures& operator=(const BesideCaptures&) = delete;

  private:
    cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

}  // namespace sptune
