// How a format hands its kernels to the registry.
#pragma once

#include "kernels/spmv/kernel.hpp"

#include <string_view>
#include <vector>

namespace sptune {

/// The kernels of one value type, for one width of the row pointer: programs rarely need both, and
/// making a list takes milliseconds.
template <class T>
struct KernelList {
    explicit KernelList(IndexType wanted) : index(wanted) {}

    IndexType index;
    std::vector<SpmvKernel<T, std::int32_t>> i32;
    std::vector<SpmvKernel<T, std::int64_t>> i64;

    template <class P>
    bool wants() const {
        return index == index_type_of<P>();
    }

    template <class P>
    std::vector<SpmvKernel<T, P>>& of() {
        if constexpr (index_type_of<P>() == IndexType::i32)
            return i32;
        else
            return i64;
    }
};

template <class T>
using ApplyFunction = void (*)(const Storage&, T, const T*, T, T*, Launch);

/// Adds one instance for row pointer type P, if that is wanted. `Format` gives `name`, `backend`
/// where it is not the CPU, `inspect<T, P>` and `convert<T, P>`, perhaps `estimate<T, P>`. `layout`
/// are the parameters that decide how A is stored, `rest` those of the kernel alone.
template <class Format, class T, class P>
void add_kernel(KernelList<T>& list, std::string_view algorithm, const Params& layout,
                const Params& rest, ApplyFunction<T> apply, bool deterministic = true) {
    if (!list.template wants<P>()) return;
    SpmvKernel<T, P>& kernel = list.template of<P>().emplace_back();
    Variant& v = kernel.variant;
    if constexpr (requires { Format::backend; }) v.backend = Format::backend;
    v.format = Format::name;
    v.algorithm = algorithm;
    v.layout = v.format + "." + to_string(layout);
    v.params.reserve(layout.size() + rest.size());
    v.params = layout;
    v.params.insert(v.params.end(), rest.begin(), rest.end());
    v.value = value_type_of<T>();
    v.index = index_type_of<P>();
    v.deterministic = deterministic;
    kernel.inspect = &Format::template inspect<T, P>;
    if constexpr (requires { &Format::template estimate<T, P>; })
        kernel.estimate = &Format::template estimate<T, P>;
    kernel.convert = &Format::template convert<T, P>;
    kernel.apply = apply;
}

/// The same for a format whose storage no longer depends on the row pointer type of its source.
template <class Format, class T>
void add_kernel_for_all_indices(KernelList<T>& list, std::string_view algorithm,
                                const Params& layout, const Params& rest, ApplyFunction<T> apply,
                                bool deterministic = true) {
    add_kernel<Format, T, std::int32_t>(list, algorithm, layout, rest, apply, deterministic);
    add_kernel<Format, T, std::int64_t>(list, algorithm, layout, rest, apply, deterministic);
}

}  // namespace sptune
