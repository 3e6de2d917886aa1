#include "kernels/backends.hpp"
#include "kernels/simd_target.hpp"
#include "kernels/spmv/formats.hpp"
#include "kernels/vendor/vendor.hpp"

namespace sptune {

template <class T>
KernelList<T> cpu_kernels(IndexType index) {
    simd_target();
    KernelList<T> list(index);
#define SPTUNE_ADD(format) add_##format##_kernels(list);
    SPTUNE_CPU_FORMATS(SPTUNE_ADD)
#undef SPTUNE_ADD
    add_vendor_kernels(list);
    set_kernel_hashes(list);
    return list;
}

template KernelList<float> cpu_kernels(IndexType);
template KernelList<double> cpu_kernels(IndexType);

}  // namespace sptune
