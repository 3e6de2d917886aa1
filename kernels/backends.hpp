// The kernels of each backend, as registry.cpp puts them together.
#pragma once

#include "kernels/kernel_hashes.hpp"
#include "kernels/kernel_list.hpp"

namespace sptune {

/// New lists.
template <class T>
KernelList<T> cpu_kernels(IndexType index);
/// Throws DeviceError where this build or this machine has no GPU to run them.
template <class T>
KernelList<T> cuda_kernels(IndexType index);

template <class T>
void set_kernel_hashes(KernelList<T>& list) {
    const auto set = [](auto& kernels) {
        for (auto& k : kernels)
            k.variant.kernel_hash = kernel_hash(k.variant.backend, k.variant.format);
    };
    set(list.i32);
    set(list.i64);
}

}  // namespace sptune
