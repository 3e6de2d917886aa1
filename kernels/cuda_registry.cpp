#include "kernels/backends.hpp"
#include "kernels/cuda_probe.hpp"
#include "kernels/lists.hpp"
#include "kernels/vendor/vendor.hpp"

namespace sptune {

#define SPTUNE_DECLARE(format)                            \
    void add_cuda_##format##_kernels(KernelList<float>&); \
    void add_cuda_##format##_kernels(KernelList<double>&);
SPTUNE_CUDA_FORMATS(SPTUNE_DECLARE)
#undef SPTUNE_DECLARE

template <class T>
KernelList<T> cuda_kernels(IndexType index) {
    require_cuda();
    KernelList<T> list(index);
    constexpr std::size_t kUsual = 1600;
    if (index == IndexType::i32)
        list.i32.reserve(kUsual);
    else
        list.i64.reserve(kUsual);
#define SPTUNE_ADD(format) add_cuda_##format##_kernels(list);
    SPTUNE_CUDA_FORMATS(SPTUNE_ADD)
#undef SPTUNE_ADD
    add_cusparse_kernels(list);
    set_kernel_hashes(list);
    return list;
}

template KernelList<float> cuda_kernels(IndexType);
template KernelList<double> cuda_kernels(IndexType);

}  // namespace sptune
