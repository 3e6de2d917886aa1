#include "kernels/spgemm/registry.hpp"

#include "kernels/cuda_probe.hpp"
#include "kernels/kernel_hashes.hpp"
#include "kernels/lists.hpp"
#include "kernels/spgemm/kernel_list.hpp"
#include "kernels/vendor/spgemm.hpp"
#include "matrix/lasting.hpp"

#include <algorithm>
#include <unordered_map>

namespace sptune {

#define SPTUNE_DECLARE(name) \
    template <class T>       \
    void add_cpu_##name##_kernels(SpgemmKernelList<T>&);
SPTUNE_CPU_SPGEMM(SPTUNE_DECLARE)
#undef SPTUNE_DECLARE
#define SPTUNE_DECLARE(name) \
    template <class T>       \
    void add_##name##_kernels(SpgemmKernelList<T>&);
SPTUNE_CUDA_SPGEMM(SPTUNE_DECLARE)
#undef SPTUNE_DECLARE

namespace {

/// Calls add(list) and gives the kernels it adds the hash of their sources.
template <class T, class Add>
void add_hashed(SpgemmKernelList<T>& list, const std::string& sources, Add add) {
    const std::size_t before32 = list.i32.size(), before64 = list.i64.size();
    add(list);
    const auto set = [&](auto& kernels, std::size_t from) {
        for (std::size_t i = from; i < kernels.size(); ++i)
            kernels[i].variant.kernel_hash = kernel_hash(kernels[i].variant.backend, sources);
    };
    set(list.i32, before32);
    set(list.i64, before64);
}

template <class T>
const SpgemmKernelList<T>& cpu_list() {
    static const SpgemmKernelList<T>& all = lasting([] {
        SpgemmKernelList<T> list;
#define SPTUNE_ADD(name) add_hashed(list, "spgemm", add_cpu_##name##_kernels<T>);
        SPTUNE_CPU_SPGEMM(SPTUNE_ADD)
#undef SPTUNE_ADD
        add_mkl_spgemm_kernels(list);
        return list;
    });
    return all;
}

template <class T>
const SpgemmKernelList<T>& cuda_list() {
    require_cuda();
    static const SpgemmKernelList<T>& all = lasting([] {
        SpgemmKernelList<T> list;
#define SPTUNE_ADD(name) add_hashed(list, "spgemm/" #name, add_##name##_kernels<T>);
        SPTUNE_CUDA_SPGEMM(SPTUNE_ADD)
#undef SPTUNE_ADD
        add_cusparse_spgemm_kernels(list);
        return list;
    });
    return all;
}

template <class T, class P, Backend B>
const auto& by_id() {
    static const auto& all = lasting([] {
        std::unordered_map<std::string, const SpgemmKernel<T, P>*> map;
        for (const auto& kernel : spgemm_kernels<T, P>(B))
            map.emplace(kernel.variant.id(), &kernel);
        return map;
    });
    return all;
}

}  // namespace

template <class T, class P>
const std::vector<SpgemmKernel<T, P>>& spgemm_kernels(Backend backend) {
    return (backend == Backend::cpu ? cpu_list<T>() : cuda_list<T>()).template of<P>();
}

template <class T, class P>
const SpgemmKernel<T, P>* spgemm_kernel_or_null(Backend backend, const std::string& id) {
    const auto& all =
        backend == Backend::cpu ? by_id<T, P, Backend::cpu>() : by_id<T, P, Backend::cuda>();
    const auto found = all.find(id);
    return found == all.end() ? nullptr : found->second;
}

template <class T, class P>
const SpgemmKernel<T, P>& find_spgemm_kernel(Backend backend, const std::string& id) {
    if (const auto* const found = spgemm_kernel_or_null<T, P>(backend, id)) return *found;
    const auto& all = spgemm_kernels<T, P>(backend);
    std::string some;
    for (std::size_t i = 0; i < all.size(); i += std::max<std::size_t>(1, all.size() / 4))
        some.append(some.empty() ? "" : ", ").append(all[i].variant.id());
    throw UsageError("there is no kernel \"" + id + "\" for these types; some of the " +
                     std::to_string(all.size()) + " there are: " + some +
                     "; `sptune info --kernels 'spgemm.*'` lists all");
}

#define SPTUNE_INSTANTIATE(T, P)                                                           \
    template const std::vector<SpgemmKernel<T, P>>& spgemm_kernels(Backend);               \
    template const SpgemmKernel<T, P>* spgemm_kernel_or_null(Backend, const std::string&); \
    template const SpgemmKernel<T, P>& find_spgemm_kernel(Backend, const std::string&);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

namespace {

Variant variant_of(Backend backend, ValueType value, IndexType index, std::string algorithm,
                   Params params) {
    Variant v;
    v.op = Op::spgemm;
    v.backend = backend;
    v.format = "csr";
    v.algorithm = std::move(algorithm);
    v.params = std::move(params);
    v.value = value;
    v.index = index;
    return v;
}

}  // namespace

std::string spgemm_baseline_id(Backend backend, ValueType value, IndexType index) {
    if (backend == Backend::cuda) return variant_of(backend, value, index, "esc", {}).id();
    return variant_of(backend, value, index, "gustavson", {{"p", 2}, {"d", 1}}).id();
}

Variant spgemm_default(Backend backend, ValueType value, IndexType index, double products_cv) {
    constexpr double kUneven = 1;
    if (backend == Backend::cpu)
        return variant_of(backend, value, index, "bitmap",
                          {{"p", 1}, {"d", products_cv > kUneven ? 16 : 1}});
    return variant_of(backend, value, index, "hash",
                      {{"p", 1}, {"a", 1}, {"s", 6}, {"w", 1024}, {"b", 256}});
}

std::string spgemm_thrifty_id(ValueType value, IndexType index) {
    return variant_of(Backend::cpu, value, index, "hash", {{"p", 2}, {"d", 16}}).id();
}

}  // namespace sptune
