#include "kernels/backends.hpp"
#include "kernels/simd_target.hpp"
#include "kernels/spmv/formats.hpp"
#include "kernels/vendor/vendor.hpp"
#include "matrix/lasting.hpp"

namespace sptune {

template <class T>
const KernelList<T>& cpu_kernels() {
    static const KernelList<T>& all = lasting([] {
        simd_target();
        KernelList<T> list;
#define SPTUNE_ADD(format) add_##format##_kernels(list);
        SPTUNE_CPU_FORMATS(SPTUNE_ADD)
#undef SPTUNE_ADD
        add_vendor_kernels(list);
        set_kernel_hashes(list);
        return list;
    });
    return all;
}

template const KernelList<float>& cpu_kernels();
template const KernelList<double>& cpu_kernels();

}  // namespace sptune
