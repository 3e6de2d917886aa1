#include "kernels/backends.hpp"
#include "kernels/cuda_probe.hpp"
#include "kernels/spmv/cuda_formats.hpp"
#include "kernels/vendor/vendor.hpp"
#include "matrix/lasting.hpp"

namespace sptune {

template <class T>
const KernelList<T>& cuda_kernels() {
    require_cuda();
    static const KernelList<T>& all = lasting([] {
        KernelList<T> list;
#define SPTUNE_ADD(format) add_cuda_##format##_kernels(list);
        SPTUNE_CUDA_FORMATS(SPTUNE_ADD)
#undef SPTUNE_ADD
        add_cusparse_kernels(list);
        set_kernel_hashes(list);
        return list;
    });
    return all;
}

template const KernelList<float>& cuda_kernels();
template const KernelList<double>& cuda_kernels();

}  // namespace sptune
