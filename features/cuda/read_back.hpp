// What the last kernel of a chain leaves in the host's memory, without a copy that has to be
// waited for as well.
#pragma once

#include "matrix/cuda/per_device.hpp"

#include <memory>
#include <mutex>
#include <type_traits>

namespace sptune::cuda {

/// Bytes in device memory, and the host memory that a kernel copies them to when it is done.
struct HostCopy {
    const uint4* from;
    uint4* to;
    unsigned count;  ///< of 16 bytes each
};

/// A T that kernels write and the host reads. One thread at a time has that of the current GPU:
/// others wait in the constructor, as their kernels would in the default stream.
template <class T>
class ReadBack {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(uint4) == 0);

  public:
    ReadBack() : place_(of_device().get()), lock_(place_.mutex) {
        if (place_.memory) return;
        void* p = nullptr;
        SPTUNE_CUDA(cudaHostAlloc(&p, sizeof(T), cudaHostAllocMapped));
        place_.memory = static_cast<T*>(p);
    }

    /// `from` is aligned to 16 bytes.
    HostCopy copy_of(const T* from) const {
        return {reinterpret_cast<const uint4*>(from), reinterpret_cast<uint4*>(place_.memory),
                static_cast<unsigned>(sizeof(T) / sizeof(uint4))};
    }
    /// Once all work of the default stream is done.
    T wait() const {
        SPTUNE_CUDA(cudaStreamSynchronize(nullptr));
        return *place_.memory;
    }

  private:
    struct Place {
        std::mutex mutex;
        T* memory = nullptr;  ///< never freed: the driver may have ended by then
    };
    static PerDevice<Place>& of_device() {
        static PerDevice<Place> all;
        return all;
    }

    Place& place_;
    std::lock_guard<std::mutex> lock_;
};

}  // namespace sptune::cuda
