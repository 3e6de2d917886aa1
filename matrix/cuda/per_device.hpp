// What a process keeps for each of its GPUs.
#pragma once

#include "matrix/cuda/check.hpp"

#include <map>
#include <mutex>

namespace sptune::cuda {

inline int current_device() {
    int device = 0;
    SPTUNE_CUDA(cudaGetDevice(&device));
    return device;
}

/// A T for each GPU, made when it is first asked for. Threads may ask at once. Nothing is
/// ever destroyed: the driver may have ended by then, and other threads may go on.
template <class T>
class PerDevice {
  public:
    /// That of the current GPU; `make` makes it.
    template <class Make>
    T& get(Make make) {
        const int device = current_device();
        const std::lock_guard lock(mutex_);
        const auto found = all_.find(device);
        return found != all_.end() ? found->second : all_.emplace(device, make()).first->second;
    }
    T& get() {
        const int device = current_device();
        const std::lock_guard lock(mutex_);
        return all_[device];
    }

  private:
    std::mutex mutex_;
    std::map<int, T>& all_ = *new std::map<int, T>;
};

}  // namespace sptune::cuda
