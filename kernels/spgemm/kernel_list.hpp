// How an algorithm hands its SpGEMM kernels to the registry: a function
// `template <class T> void add_NAME_kernels(SpgemmKernelList<T>& list)`, declared in
// NAME/kernels.hpp.
#pragma once

#include "kernels/spgemm/kernel.hpp"

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

}  // namespace sptune
