// Stands in for cuda_registry.cpp in a build without the CUDA toolkit.
#include "kernels/backends.hpp"
#include "kernels/cuda_probe.hpp"

namespace sptune {

template <class T>
KernelList<T> cuda_kernels(IndexType) {
    require_cuda();
    throw DeviceError(cuda_status());
}

template KernelList<float> cuda_kernels(IndexType);
template KernelList<double> cuda_kernels(IndexType);

}  // namespace sptune
