// Memory that every look at a matrix on a GPU needs, kept from one to the next: making, clearing
// and copying it would take longer than the look at a small matrix.
#pragma once

#include "features/cuda/waiting.hpp"
#include "matrix/cuda/beside_captures.hpp"
#include "matrix/cuda/device_buffer.hpp"
#include "matrix/cuda/per_device.hpp"

#include <atomic>
#include <mutex>
#include <type_traits>

namespace sptune::cuda {

/// Places in one piece of memory.
class Places {
  public:
    /// The offset of `count` elements of T.
    template <class T>
    std::size_t reserve(std::size_t count) {
        constexpr std::size_t kAlign = 256;
        const std::size_t begin = size_;
        size_ += (count * sizeof(T) + kAlign - 1) / kAlign * kAlign;
        return begin;
    }
    std::size_t size() const { return size_; }

  private:
    std::size_t size_ = 0;
};

/// What the last kernel of a chain leaves in the memory of the host: 16 bytes at a time, then
/// `ticket` in `done`.
struct HostCopy {
    uint4* from;
    uint4* to;
    unsigned count;
    unsigned* done;
    unsigned ticket;
};

/// That of the current GPU, for one thread at a time: others wait in the constructor, as their
/// kernels would in the default stream.
template <class Found>
class Workspace {
    static_assert(std::is_trivially_copyable_v<Found> && sizeof(Found) % sizeof(uint4) == 0);

  public:
    /// So many bytes that are zero, and so many that are not.
    Workspace(std::size_t zeros, std::size_t others)
        : kept_(of_device().get()), lock_(kept_.mutex) {
        if (!kept_.host) {
            const BesideCaptures relaxed;
            void* p = nullptr;
            SPTUNE_CUDA(cudaHostAlloc(&p, sizeof(Host), cudaHostAllocMapped));
            kept_.host = new (p) Host{};
        }
        if (kept_.others.size() < others) kept_.others = DeviceBuffer<std::byte>(others);
        if (kept_.zeros.size() < zeros) {
            kept_.zeros = DeviceBuffer<std::byte>(zeros);
            kept_.clean = false;
        }
        if (!kept_.clean) kept_.zeros.fill_bytes(0);
        kept_.clean = false;
    }
    Workspace(const Workspace&) = delete;
    Workspace& operator=(const Workspace&) = delete;
    /// Gives back what is more than most matrices need.
    ~Workspace() {
        constexpr std::size_t kMostKept = std::size_t{16} << 20;
        for (DeviceBuffer<std::byte>* buffer : {&kept_.zeros, &kept_.others})
            if (buffer->size() > kMostKept) *buffer = {};
    }

    template <class T>
    T* zeros(std::size_t offset) {
        return reinterpret_cast<T*>(kept_.zeros.data() + offset);
    }
    template <class T>
    T* others(std::size_t offset) {
        return reinterpret_cast<T*>(kept_.others.data() + offset);
    }
    /// To be called when all that was zero is zero again, or will be before what comes next in the
    /// default stream; else it is cleared the next time.
    void is_clean() { kept_.clean = true; }

    /// `from` is aligned to 16 bytes.
    HostCopy copy_of(Found* from) {
        return {reinterpret_cast<uint4*>(from), reinterpret_cast<uint4*>(&kept_.host->found),
                static_cast<unsigned>(sizeof(Found) / sizeof(uint4)), &kept_.host->done,
                ++kept_.ticket};
    }
    /// What came of the last copy_of(), as soon as it is there.
    Found wait() const {
        const std::atomic_ref<unsigned> done(kept_.host->done);
        wait_until([&] { return done.load(std::memory_order_acquire) == kept_.ticket; });
        return kept_.host->found;
    }

  private:
    struct Host {
        alignas(16) Found found;
        unsigned done;
    };
    /// Never freed: the driver may have ended by then.
    struct Kept {
        std::mutex mutex;
        DeviceBuffer<std::byte> zeros, others;
        bool clean = false;
        Host* host = nullptr;
        unsigned ticket = 0;
    };
    static PerDevice<Kept>& of_device() {
        static PerDevice<Kept> all;
        return all;
    }

    Kept& kept_;
    std::lock_guard<std::mutex> lock_;
};

}  // namespace sptune::cuda
