#include "tuner/cuda/calls.hpp"

#include "matrix/cuda/check.hpp"
#include "matrix/cuda/device_buffer.hpp"
#include "matrix/cuda/on_device.hpp"
#include "matrix/cuda/per_device.hpp"

#include <atomic>
#include <string>
#include <string_view>

#include <cuda.h>
#include <dlfcn.h>
#include <link.h>

namespace sptune::tuner {
namespace {

class Event {
  public:
    explicit Event(unsigned flags) { SPTUNE_CUDA(cudaEventCreateWithFlags(&event_, flags)); }
    ~Event() { cudaEventDestroy(event_); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    operator cudaEvent_t() const { return event_; }

  private:
    cudaEvent_t event_ = nullptr;
};

cudaStream_t as_stream(void* stream) {
    return static_cast<cudaStream_t>(stream);
}

class CudaStreamTimer final : public StreamTimer {
  public:
    double time(const std::function<void()>& call, void* stream) override {
        // Otherwise the first event could fire long before the host has enqueued the call.
        SPTUNE_CUDA(cudaStreamSynchronize(as_stream(stream)));
        SPTUNE_CUDA(cudaEventRecord(begin_, as_stream(stream)));
        call();
        SPTUNE_CUDA(cudaEventRecord(end_, as_stream(stream)));
        SPTUNE_CUDA(cudaEventSynchronize(end_));
        float ms = 0;
        SPTUNE_CUDA(cudaEventElapsedTime(&ms, begin_, end_));
        return 1e3 * static_cast<double>(ms);
    }

  private:
    Event begin_{cudaEventDefault}, end_{cudaEventDefault};
};

class CudaStreamOrder final : public StreamOrder {
  public:
    void before(void* stream) override {
        // A graph cannot wait for what is outside of it; its user orders its launches. Handles do
        // not tell streams apart: cudaStreamPerThread is another one in every thread.
        if (used_ && !is_capturing(stream))
            SPTUNE_CUDA(cudaStreamWaitEvent(as_stream(stream), done_, 0));
    }
    void after(void* stream) override {
        if (is_capturing(stream)) return;  // the event would belong to the graph
        SPTUNE_CUDA(cudaEventRecord(done_, as_stream(stream)));
        used_ = true;
    }
    void wait() override {
        if (used_) SPTUNE_CUDA(cudaEventSynchronize(done_));
    }

  private:
    Event done_{cudaEventDisableTiming};
    bool used_ = false;
};

/// How many libraries this process has loaded so far; 0 where the loader does not say.
unsigned long long libraries_loaded() {
    unsigned long long count = 0;
    dl_iterate_phdr(
        [](dl_phdr_info* first, std::size_t, void* to) {
            *static_cast<unsigned long long*>(to) = first->dlpi_adds;
            return 1;
        },
        &count);
    return count;
}

/// The file that the driver was loaded from; empty where it is not loaded. By its name alone the
/// loader would look for it in many places, which takes as long as hundreds of products of a small
/// matrix.
std::string driver_file() {
    std::string file;
    dl_iterate_phdr(
        [](dl_phdr_info* library, std::size_t, void* to) {
            const std::string_view path = library->dlpi_name;
            if (!path.substr(path.rfind('/') + 1).starts_with("libcuda.so")) return 0;
            *static_cast<std::string*>(to) = path;
            return 1;
        },
        &file);
    return file;
}

/// Whether anything in this process has begun to use a GPU. Before that no pointer can be one of a
/// GPU's, and asking the runtime would create a context, which takes a fifth of a second.
bool driver_in_use() {
    static std::atomic<bool> known{false};
    if (known.load(std::memory_order_relaxed)) return true;
    static std::atomic<unsigned long long> without{0};
    const unsigned long long loaded = libraries_loaded();
    if (loaded > 0 && loaded == without.load(std::memory_order_relaxed)) return false;
    const std::string file = driver_file();
    void* const driver = file.empty() ? nullptr : dlopen(file.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (!driver) {
        without.store(loaded, std::memory_order_relaxed);
        return false;
    }
    using GetCurrent = CUresult (*)(CUcontext*);
    const auto get_current = reinterpret_cast<GetCurrent>(dlsym(driver, "cuCtxGetCurrent"));
    CUcontext context = nullptr;
    const bool used = !get_current || get_current(&context) != CUDA_ERROR_NOT_INITIALIZED;
    dlclose(driver);
    if (used) known.store(true, std::memory_order_relaxed);
    return used;
}

}  // namespace

std::unique_ptr<StreamTimer> make_stream_timer() {
    return std::make_unique<CudaStreamTimer>();
}
std::unique_ptr<StreamOrder> make_stream_order() {
    return std::make_unique<CudaStreamOrder>();
}

bool is_capturing(void* stream) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    SPTUNE_CUDA(cudaStreamIsCapturing(as_stream(stream), &status));
    return status != cudaStreamCaptureStatusNone;
}

void wait_for_stream(void* stream) {
    SPTUNE_CUDA(cudaStreamSynchronize(as_stream(stream)));
}

void call_on_scratch(std::size_t x_bytes, std::size_t y_bytes,
                     const std::function<void(const void* x, void* y)>& call) {
    DeviceBuffer<char> x(x_bytes), y(y_bytes);
    x.fill_bytes(0);
    call(x.data(), y.data());
    wait_for_stream(nullptr);
}

void wait_for_device() {
    SPTUNE_CUDA(cudaDeviceSynchronize());
}

bool is_device_idle() noexcept {
    if (cudaDeviceSynchronize() == cudaSuccess) return true;
    cudaGetLastError();
    return false;
}

bool is_device_pointer(const void* p) {
    if (!driver_in_use()) return false;
    cudaPointerAttributes a{};
    if (cudaPointerGetAttributes(&a, p) != cudaSuccess) {
        cudaGetLastError();  // no driver, no device: it is not an error of the caller
        return false;
    }
    return a.type == cudaMemoryTypeDevice || a.type == cudaMemoryTypeManaged;
}

bool is_elsewhere(const void* p) {
    if (cuda::device_count() < 2) return false;
    cudaPointerAttributes a{};
    SPTUNE_CUDA(cudaPointerGetAttributes(&a, p));
    return a.type == cudaMemoryTypeDevice && a.device != cuda::current_device();
}

int current_device() noexcept {
    int device = -1;
    return cudaGetDevice(&device) == cudaSuccess ? device : -1;
}

int go_to_device(int device) noexcept {
    return cuda::go_to_device(device);
}

void read_from_device(void* to, const void* from, std::size_t bytes) {
    SPTUNE_CUDA(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost));
}

}  // namespace sptune::tuner
