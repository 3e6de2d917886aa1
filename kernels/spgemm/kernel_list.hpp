// How an algorithm hands its SpGEMM kernels to the registry: a function
// `template <class T> void add_NAME_kernels(SpgemmKernelList<T>& list)`, instantiated for float and
// double (on the CPU: add_cpu_NAME_kernels). The registry declares it for every NAME that
// kernels/CMakeLists.txt lists.
#pragma once

#include "kernels/spgemm/kernel.hpp"

#include <string>
#include <utility>
#include <vector>

namespace sptune {

/// The kernels of one value type, for both widths of the row pointer.
template <class T>
struct SpgemmKernelList {
    std::vector<SpgemmKernel<T, std::int32_t>> i32;
    std::vector<SpgemmKernel<T, std::int64_t>> i64;

    template <class P>
    std::vector<SpgemmKernel<T, P>>& of() {
        if constexpr (index_type_of<P>() == IndexType::i32)
            return i32;
        else
            return i64;
    }
    template <class P>
    const std::vector<SpgemmKernel<T, P>>& of() const {
        return const_cast<SpgemmKernelList*>(this)->template of<P>();
    }
};

/// Adds one instance for row pointer type P and returns it, for what is out of the ordinary: a
/// `prepare` with its own layout, `deterministic`, `vendor`. The kernel's hash is the registry's
/// business. `format`: how A and B are stored, "csr" or "bsr".
template <class P, class T>
SpgemmKernel<T, P>& add_spgemm_kernel(SpgemmKernelList<T>& list, Backend backend,
                                      std::string format, std::string algorithm, Params params,
                                      decltype(SpgemmKernel<T, P>::inspect) inspect,
                                      decltype(SpgemmKernel<T, P>::multiply) multiply) {
    SpgemmKernel<T, P> kernel;
    Variant& v = kernel.variant;
    v.op = Op::spgemm;
    v.backend = backend;
    v.format = std::move(format);
    v.algorithm = std::move(algorithm);
    v.params = std::move(params);
    v.value = value_type_of<T>();
    v.index = index_type_of<P>();
    v.layout = v.format;
    kernel.inspect = inspect;
    kernel.multiply = multiply;
    list.template of<P>().push_back(std::move(kernel));
    return list.template of<P>().back();
}

}  // namespace sptune
