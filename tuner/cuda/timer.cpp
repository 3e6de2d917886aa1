#include "tuner/cuda/timer.hpp"

#include "matrix/cuda/grid.hpp"
#include "tuner/cuda/helper_kernels.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace sptune::tuner {
namespace {

constexpr int kMostNodes = 64;      ///< of a graph; longer batches replay it
constexpr int kEnqueueNs = 20'000;  ///< longer than the host needs to enqueue a replay
constexpr int kEnqueueNsPerReplay = 5'000;
constexpr float kSameClock = 0.95f;  ///< of the usual; less is a drop
constexpr int kRepeats = 4;          ///< of one sample, before the lower clock is the usual one

}  // namespace

CudaTimer::CudaTimer(const models::Launching& launching) : launching_(launching) {
    SPTUNE_CUDA(cudaStreamCreate(&stream_));
    SPTUNE_CUDA(cudaEventCreate(&begin_));
    SPTUNE_CUDA(cudaEventCreate(&end_));
    SPTUNE_CUDA(cudaMallocHost(reinterpret_cast<void**>(&mhz_), sizeof *mhz_));
    try {
        make_evictor();
    } catch (const OutOfMemory&) {  // measuring is better than measuring alike
    }
}

CudaTimer::~CudaTimer() {
    if (batch_) cudaGraphExecDestroy(batch_);
    cudaFreeHost(mhz_);
    if (begin_) cudaEventDestroy(begin_);
    if (end_) cudaEventDestroy(end_);
    if (stream_) cudaStreamDestroy(stream_);
}

void CudaTimer::forget() {
    drop_batch();
    if (!evictor_.empty()) flush();
}

void CudaTimer::drop_batch() {
    if (batch_) SPTUNE_CUDA(cudaGraphExecDestroy(std::exchange(batch_, nullptr)));
    batch_calls_ = 0;
}

double CudaTimer::per_call(const std::function<void()>& call, int calls, bool cold) {
    on_device_ = {};
    if (cold) {
        double sum = 0;
        for (int i = 0; i < calls; ++i) {
            flush();  // takes longer than the host needs to enqueue the call
            sum += elapsed_us(call);
        }
        return sum / calls;
    }
    for (int i = 0; i < kRepeats; ++i) {
        const double us = warm(call, calls);
        if (*mhz_ >= kSameClock * usual_mhz_) {
            usual_mhz_ = std::max(usual_mhz_, *mhz_);
            return us;
        }
        ++repeated_;
    }
    const double us = warm(call, calls);
    usual_mhz_ = *mhz_;
    return us;
}

double CudaTimer::warm(const std::function<void()>& call, int calls) {
    if (calls == 1) {
        cuda::keep_busy(kEnqueueNs, mhz_, stream_);
        on_device_ = {elapsed_us(call), 0};
        return on_device_.us;
    }
    const int nodes = std::min(calls, kMostNodes), replays = (calls + nodes - 1) / nodes;
    record(call, nodes);
    cuda::keep_busy(kEnqueueNs + replays * kEnqueueNsPerReplay, mhz_, stream_);
    const double us = elapsed_us([&] {
        for (int i = 0; i < replays; ++i) SPTUNE_CUDA(cudaGraphLaunch(batch_, stream_));
    });
    on_device_ = {us / (nodes * replays), batch_launches_ / nodes};
    // The first launch of a batch waits for nobody.
    const int early = (batch_early_ + nodes - 1) / nodes;
    return models::as_called_us(on_device_.us, on_device_.launches, early, launching_);
}

double CudaTimer::elapsed_us(const std::function<void()>& work) {
    SPTUNE_CUDA(cudaEventRecord(begin_, stream_));
    work();
    SPTUNE_CUDA(cudaEventRecord(end_, stream_));
    SPTUNE_CUDA(cudaEventSynchronize(end_));
    float ms = 0;
    SPTUNE_CUDA(cudaEventElapsedTime(&ms, begin_, end_));
    return 1e3 * static_cast<double>(ms);
}

void CudaTimer::record(const std::function<void()>& call, int calls) {
    if (batch_calls_ == calls) return;
    drop_batch();
    cudaGraph_t graph = nullptr;
    SPTUNE_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    try {
        for (int i = 0; i < calls; ++i) call();
    } catch (...) {
        cudaStreamEndCapture(stream_, &graph);
        if (graph) cudaGraphDestroy(graph);
        throw;
    }
    SPTUNE_CUDA(cudaStreamEndCapture(stream_, &graph));
    const std::unique_ptr<CUgraph_st, decltype(&cudaGraphDestroy)> owner(graph, cudaGraphDestroy);
    count_launches(graph);
    const cudaError_t made = cudaGraphInstantiate(&batch_, graph, 0);
    SPTUNE_CUDA(made);
    SPTUNE_CUDA(cudaGraphUpload(batch_, stream_));
    batch_calls_ = calls;
}

void CudaTimer::count_launches(cudaGraph_t graph) {
#if CUDART_VERSION >= 13000
    const auto get_edges = cudaGraphGetEdges;
#else
    const auto get_edges = cudaGraphGetEdges_v2;
#endif
    std::size_t launches = 0, edges = 0;
    SPTUNE_CUDA(cudaGraphGetNodes(graph, nullptr, &launches));
    batch_launches_ = static_cast<int>(launches), batch_early_ = 0;
    if (!sptune::cuda::early_launch_works()) return;
    SPTUNE_CUDA(get_edges(graph, nullptr, nullptr, nullptr, &edges));
    std::vector<cudaGraphNode_t> from(edges), to(edges);
    std::vector<cudaGraphEdgeData> kind(edges);
    SPTUNE_CUDA(get_edges(graph, from.data(), to.data(), kind.data(), &edges));
    batch_early_ = static_cast<int>(
        std::ranges::count(kind, static_cast<unsigned char>(cudaGraphDependencyTypeProgrammatic),
                           &cudaGraphEdgeData::type));
}

void CudaTimer::make_evictor() {
    int device = 0, l2 = 0;
    SPTUNE_CUDA(cudaGetDevice(&device));
    SPTUNE_CUDA(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, device));
    evictor_ = DeviceBuffer<char>(std::max<std::size_t>(2 * static_cast<std::size_t>(l2), 1));
    evictor_.fill_bytes(0);
    SPTUNE_CUDA(cudaStreamSynchronize(nullptr));
}

void CudaTimer::flush() {
    if (evictor_.empty()) make_evictor();
    // Read only: lines left dirty would be written back while the call is timed.
    cuda::read_all(evictor_.data(), evictor_.size(), 1, stream_);
}

}  // namespace sptune::tuner
