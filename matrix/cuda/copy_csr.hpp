// A CSR matrix back from the GPU.
#pragma once

#include "matrix/cuda/device_csr.hpp"
#include "matrix/error.hpp"

#include <fmt/format.h>

namespace sptune {

/// `entries` of the view must be set. Throws UsageError where the row pointers end elsewhere, which
/// would lead whoever follows them beyond what was copied, CudaError and OutOfMemory.
template <class T, class P>
Csr<T, P> copy_to_host(CsrView<T, P> on_device) {
    const auto rows = static_cast<std::size_t>(on_device.rows) + 1;
    const auto nnz = static_cast<std::size_t>(on_device.nnz());
    Csr<T, P> a{on_device.rows, on_device.cols, Buffer<P>(rows), Buffer<index_t>(nnz),
                Buffer<T>(nnz)};
    a.row_ptr[0] = 0;
    const auto copy = [](auto& to, const auto* from) {
        if (from && to.size())
            SPTUNE_CUDA(cudaMemcpy(to.data(), from, to.bytes(), cudaMemcpyDeviceToHost));
    };
    copy(a.row_ptr, on_device.row_ptr);
    if (a.nnz() != on_device.nnz())
        throw UsageError(fmt::format("nnz is {}, but row_ptr[{}] is {}", on_device.nnz(),
                                     on_device.rows, a.nnz()));
    copy(a.col_idx, on_device.col_idx);
    copy(a.values, on_device.values);
    return a;
}

}  // namespace sptune
