// How a format hands its kernels to the registry.
#pragma once

#include "kernels/spmv/kernel.hpp"

#include <string>
#include <utility>
#include <vector>

namespace sptune {

/// The kernels of one value type, for both widths of the row pointer.
template <class T>
struct KernelList {
    std::vector<SpmvKernel<T, std::int32_t>> i32;
    std::vector<SpmvKernel<T, std::int64_t>> i64;

    template <class P>
    std::vector<SpmvKernel<T, P>>& of() {
        if constexpr (index_type_of<P>() == IndexType::i32)
            return i32;
        else
            return i64;
    }
    template <class P>
    const std::vector<SpmvKernel<T, P>>& of() const {
        return const_cast<KernelList*>(this)->template of<P>();
    }
};

template <class T>
using ApplyFunction = void (*)(const Storage&, T, const T*, T, T*, Launch);

/// Adds one instance for row pointer type P. `Format` gives `name`, `backend` where it is not the
/// CPU, `inspect<T, P>` and `convert<T, P>`, perhaps `estimate<T, P>`. `layout` are the parameters
/// that decide how A is stored, `rest` those of the kernel alone.
template <class Format, class T, class P>
void add_kernel(KernelList<T>& list, std::string algorithm, Params layout, const Params& rest,
                ApplyFunction<T> apply, bool deterministic = true) {
    SpmvKernel<T, P> kernel;
    Variant& v = kernel.variant;
    if constexpr (requires { Format::backend; }) v.backend = Format::backend;
    v.format = Format::name;
    v.algorithm = std::move(algorithm);
    v.layout = v.format + "." + to_string(layout);
    v.params = std::move(layout);
    v.params.insert(v.params.end(), rest.begin(), rest.end());
    v.value = value_type_of<T>();
    v.index = index_type_of<P>();
    v.deterministic = deterministic;
    kernel.inspect = &Format::template inspect<T, P>;
    if constexpr (requires { &Format::template estimate<T, P>; })
        kernel.estimate = &Format::template estimate<T, P>;
    kernel.convert = &Format::template convert<T, P>;
    kernel.apply = apply;
    list.template of<P>().push_back(std::move(kernel));
}

/// The same for a format whose storage no longer depends on the row pointer type of its source.
template <class Format, class T>
void add_kernel_for_all_indices(KernelList<T>& list, const std::string& algorithm,
                                const Params& layout, const Params& rest, ApplyFunction<T> apply,
                                bool deterministic = true) {
    add_kernel<Format, T, std::int32_t>(list, algorithm, layout, rest, apply, deterministic);
    add_kernel<Format, T, std::int64_t>(list, algorithm, layout, rest, apply, deterministic);
}

}  // namespace sptune
