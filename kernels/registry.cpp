#include "kernels/registry.hpp"

#include "kernels/cuda_probe.hpp"
#include "kernels/kernel_hashes.hpp"
#include "kernels/simd_target.hpp"
#include "kernels/spmv/formats.hpp"
#include "kernels/vendor/vendor.hpp"

namespace sptune {

namespace {

template <class T, class P>
void finish(std::vector<SpmvKernel<T, P>>& kernels) {
    for (SpmvKernel<T, P>& k : kernels) k.variant.kernel_hash = kernel_hash(k.variant.format);
}

template <class T>
const KernelList<T>& cpu_kernels() {
    static const KernelList<T> all = [] {
        simd_target();
        KernelList<T> list;
#define SPTUNE_ADD(format) add_##format##_kernels(list);
        SPTUNE_CPU_FORMATS(SPTUNE_ADD)
#undef SPTUNE_ADD
        add_vendor_kernels(list);
        finish(list.i32);
        finish(list.i64);
        return list;
    }();
    return all;
}

}  // namespace

template <class T, class P>
const std::vector<SpmvKernel<T, P>>& spmv_kernels(Backend backend) {
    if (backend != Backend::cpu)
        throw DeviceError("no CUDA kernels: " + cuda_status() + "; use --backend cpu");
    return cpu_kernels<T>().template of<P>();
}

template const std::vector<SpmvKernel<float, std::int32_t>>& spmv_kernels(Backend);
template const std::vector<SpmvKernel<float, std::int64_t>>& spmv_kernels(Backend);
template const std::vector<SpmvKernel<double, std::int32_t>>& spmv_kernels(Backend);
template const std::vector<SpmvKernel<double, std::int64_t>>& spmv_kernels(Backend);

std::string spmv_baseline_id(Backend backend, ValueType value, IndexType index) {
    Variant v;
    v.backend = backend;
    v.format = "csr";
    v.algorithm = "static";
    v.params = {{"x", 32}, {"l", 1}, {"u", 1}, {"w", kAll}};
    v.value = value;
    v.index = index;
    return v.id();
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

std::vector<FormatCount> count_variants(Backend backend, ValueType value, IndexType index) {
    if (value == ValueType::f32)
        return index == IndexType::i32 ? count<float, std::int32_t>(backend)
                                       : count<float, std::int64_t>(backend);
    return index == IndexType::i32 ? count<double, std::int32_t>(backend)
                                   : count<double, std::int64_t>(backend);
}

}  // namespace sptune
