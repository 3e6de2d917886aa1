#include "kernels/backends.hpp"
#include "kernels/lists.hpp"
#include "kernels/simd_target.hpp"
#include "kernels/vendor/vendor.hpp"

namespace sptune {

#define SPTUNE_DECLARE(format)                       \
    void add_##format##_kernels(KernelList<float>&); \
    void add_##format##_kernels(KernelList<double>&);
SPTUNE_CPU_FORMATS(SPTUNE_DECLARE)
#undef SPTUNE_DECLARE

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
