// A second stream, for what need not wait for the default stream.
#pragma once

#include "matrix/cuda/per_device.hpp"

namespace sptune::cuda {

/// Begins where the default stream is at fork(), and is waited for by it at join(). Threads may use
/// the same one at once: they only wait for each other as well, as in the default stream.
class SideStream {
  public:
    /// That of the current GPU.
    static SideStream& instance() {
        static PerDevice<SideStream> all;
        return all.get();
    }

    SideStream() {
        SPTUNE_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        SPTUNE_CUDA(cudaEventCreateWithFlags(&forked_, cudaEventDisableTiming));
        SPTUNE_CUDA(cudaEventCreateWithFlags(&joined_, cudaEventDisableTiming));
    }
    SideStream(const SideStream&) = delete;
    SideStream& operator=(const SideStream&) = delete;

    cudaStream_t fork() {
        SPTUNE_CUDA(cudaEventRecord(forked_, nullptr));
        SPTUNE_CUDA(cudaStreamWaitEvent(stream_, forked_, 0));
        return stream_;
    }
    void join() {
        SPTUNE_CUDA(cudaEventRecord(joined_, stream_));
        SPTUNE_CUDA(cudaStreamWaitEvent(nullptr, joined_, 0));
    }

  private:
    cudaStream_t stream_ = nullptr;
    cudaEvent_t forked_ = nullptr, joined_ = nullptr;
};

}  // namespace sptune::cuda
