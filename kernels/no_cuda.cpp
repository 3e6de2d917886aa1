// Stands in for cuda_registry.cpp in a build without the CUDA toolkit.
#include "kernels/backends.hpp"
#include "kernels/cuda_probe.hpp"

namespace sptune {

template <class T>
const KernelList<T>& cuda_kernels() {
    require_cuda();
    throw DeviceError(cuda_status());
}

template const KernelList<float>& cuda_kernels();
template const KernelList<double>& cuda_kernels();

}  // namespace sptune
