// Taking times on a GPU with CUDA events.
#pragma once

#include "matrix/cuda/device_buffer.hpp"
#include "models/launching.hpp"
#include "tuner/measure.hpp"

namespace sptune::tuner {

/// Calls enqueue on stream(). A batch of warm calls is recorded as a graph once and then replayed,
/// which repeats itself to a percent, whatever the host does meanwhile. What a program's loop takes
/// is reckoned from that and from what launches take here (models::as_called_us()), both of which
/// are measured. The device is kept busy while the host enqueues, so that the first event does not
/// fire too early.
/// That also tells the clock of the GPU just before each warm sample: one that was taken after the
/// clock had dropped is taken again. A drop that lasts is accepted, as the GPU's own choice.
/// Each kernel's turn begins with its matrix out of the L2 cache: one that a conversion has just
/// written there is read up to 1.3 times as fast as one that was read into it, for thousands of
/// calls, if it takes about half of the cache to all of it
/// (bench/results/2026-11-26-written-or-read.md).
class CudaTimer final : public Timer {
  public:
    /// Without `launching` times are those of graphs.
    explicit CudaTimer(const models::Launching& launching = {0, 0, 0});
    ~CudaTimer() override;
    CudaTimer(const CudaTimer&) = delete;
    CudaTimer& operator=(const CudaTimer&) = delete;

    cudaStream_t stream() const { return stream_; }
    double per_call(const std::function<void()>& call, int calls, bool cold) override;
    OnDevice on_device() const override { return on_device_; }
    void forget() override;
    int repeated() const override { return repeated_; }

  private:
    double warm(const std::function<void()>& call, int calls);
    double elapsed_us(const std::function<void()>& work);
    void record(const std::function<void()>& call, int calls);
    void drop_batch();
    void count_launches(cudaGraph_t graph);
    void make_evictor();
    void flush();

    models::Launching launching_;
    OnDevice on_device_;
    cudaStream_t stream_ = nullptr;
    cudaEvent_t begin_ = nullptr, end_ = nullptr;
    cudaGraphExec_t batch_ = nullptr;
    int batch_calls_ = 0, batch_launches_ = 0;
    int batch_early_ = 0;   ///< launches that wait for the one before only once they have begun
    float* mhz_ = nullptr;  ///< in page-locked memory; before the last warm sample
    float usual_mhz_ = 0;   ///< the highest of late
    int repeated_ = 0;
    DeviceBuffer<char> evictor_;  ///< twice the L2 cache; empty where there was no room
};

}  // namespace sptune::tuner
