#include "kernels/registry.hpp"

#include "kernels/backends.hpp"
#include "kernels/vendor/vendor.hpp"

namespace sptune {

template <class T, class P>
const std::vector<SpmvKernel<T, P>>& spmv_kernels(Backend backend) {
    return (backend == Backend::cpu ? cpu_kernels<T>() : cuda_kernels<T>()).template of<P>();
}

template const std::vector<SpmvKernel<float, std::int32_t>>& spmv_kernels(Backend);
template const std::vector<SpmvKernel<float, std::int64_t>>& spmv_kernels(Backend);
template const std::vector<SpmvKernel<double, std::int32_t>>& spmv_kernels(Backend);
template const std::vector<SpmvKernel<double, std::int64_t>>& spmv_kernels(Backend);

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

namespace {

template <class T, class P>
std::vector<FormatCount> count(Backend backend) {
    std::vector<FormatCount> counts;
    for (const SpmvKernel<T, P>& k : spmv_kernels<T, P>(backend)) {
        if (counts.empty() || counts.back().format != k.variant.format)
            counts.push_back({k.variant.format, 0});
        ++counts.back().variants;
    }
    return counts;
}

}  // namespace

std::string spmv_baseline_id(Backend backend, ValueType value, IndexType index) {
    return spmv_baseline(backend, value, index).id();
}

std::vector<FormatCount> count_variants(Backend backend, ValueType value, IndexType index) {
    if (value == ValueType::f32)
        return index == IndexType::i32 ? count<float, std::int32_t>(backend)
                                       : count<float, std::int64_t>(backend);
    return index == IndexType::i32 ? count<double, std::int32_t>(backend)
                                   : count<double, std::int64_t>(backend);
}

}  // namespace sptune
