#include "kernels/registry.hpp"

#include "kernels/backends.hpp"
#include "kernels/vendor/vendor.hpp"
#include "matrix/lasting.hpp"

#include <utility>

namespace sptune {

template <class T, class P>
const std::vector<SpmvKernel<T, P>>& spmv_kernels(Backend backend) {
    using List = std::vector<SpmvKernel<T, P>>;
    constexpr IndexType index = index_type_of<P>();
    if (backend == Backend::cpu) {
        static const List& cpu =
            lasting([] { return std::move(cpu_kernels<T>(index).template of<P>()); });
        return cpu;
    }
    static const List& cuda =
        lasting([] { return std::move(cuda_kernels<T>(index).template of<P>()); });
    return cuda;
}

#define SPTUNE_INSTANTIATE(T, P) \
    template const std::vector<SpmvKernel<T, P>>& spmv_kernels(Backend);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

// MKL is loaded when its kernels are listed.
double vendor_start_us(Backend backend) {
    return backend == Backend::cuda ? cusparse_start_us() : 0;
}

Variant spmv_baseline(Backend backend, ValueType value, IndexType index) {
    Variant v;
    v.backend = backend;
    v.format = "csr";
    if (backend == Backend::cpu) {
        v.algorithm = "static";
        v.params = {{"x", 32}, {"l", 1}, {"u", 1}, {"w", kAll}};
    } else {
        v.algorithm = "vector";
        v.params = {{"t", 8}, {"b", 256}};
    }
    v.value = value;
    v.index = index;
    return v;
}

std::string spmv_baseline_id(Backend backend, ValueType value, IndexType index) {
    return spmv_baseline(backend, value, index).id();
}

}  // namespace sptune
