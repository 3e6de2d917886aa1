// Memory of a GPU that calls in any streams take turns to use.
#pragma once

#include "matrix/cuda/check.hpp"
#include "matrix/cuda/device_buffer.hpp"

#include <cstddef>
#include <cstdint>

namespace sptune::cuda {

/// Of the GPU that was the current one when it was made. For one thread at a time.
class PackMemory {
  public:
    PackMemory() { SPTUNE_CUDA(cudaEventCreateWithFlags(&last_done_, cudaEventDisableTiming)); }
    ~PackMemory() { cudaEventDestroy(last_done_); }
    PackMemory(const PackMemory&) = delete;
    PackMemory& operator=(const PackMemory&) = delete;

    /// work(memory) enqueues to `stream` what uses `bytes` of it, after all earlier work with it.
    template <class Work>
    void with(std::size_t bytes, cudaStream_t stream, Work work) {
        if (bytes > memory_.size()) {
            SPTUNE_CUDA(cudaEventSynchronize(last_done_));
            memory_ = {};
            memory_ = DeviceBuffer<std::byte>(bytes);
            SPTUNE_CUDA(cudaStreamSynchronize(nullptr));  // which may use what it was before
        }
        unsigned long long id = 0;  // unlike a handle, that of no other stream ever
        SPTUNE_CUDA(cudaStreamGetId(stream, &id));
        if (id != last_stream_) SPTUNE_CUDA(cudaStreamWaitEvent(stream, last_done_));
        last_stream_ = id;
        work(memory_.data());
        SPTUNE_CUDA(cudaEventRecord(last_done_, stream));
    }
    std::uint64_t bytes() const { return memory_.bytes(); }

  private:
    DeviceBuffer<std::byte> memory_;
    cudaEvent_t last_done_{};
    unsigned long long last_stream_ = ~0ull;
};

}  // namespace sptune::cuda
