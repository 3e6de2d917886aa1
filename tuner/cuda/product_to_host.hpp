// C back from the GPU.
#pragma once

#include "kernels/spgemm/kernel.hpp"
#include "matrix/cuda/device_buffer.hpp"
#include "matrix/memory.hpp"

#include <algorithm>

namespace sptune::tuner {

template <class T>
void copy_out(Buffer<T>& to, const T* from, std::size_t size) {
    to = Buffer<T>(size);
    if (size) SPTUNE_CUDA(cudaMemcpy(to.data(), from, to.bytes(), cudaMemcpyDeviceToHost));
}

/// `product`, whatever made it, in host memory. Throws OutOfMemory, CudaError.
template <class T, class P>
Csr<T, P> to_host(const Product<T, P>& product) {
    const CsrView<T, P> c = product.view();
    Csr<T, P> host{c.rows, c.cols, {}, {}, {}};
    if (c.rows == 0) {
        host.row_ptr = Buffer<P>(1, P{0});
        return host;
    }
    copy_out(host.row_ptr, c.row_ptr, static_cast<std::size_t>(c.rows) + 1);
    // What a wrong kernel says of its size must not be believed.
    const auto entries = static_cast<std::size_t>(std::max<P>(host.nnz(), 0));
    require_memory("the copy of C in the host's memory", entries * (sizeof(T) + sizeof(index_t)));
    copy_out(host.col_idx, c.col_idx, entries);
    copy_out(host.values, c.values, entries);
    return host;
}

}  // namespace sptune::tuner
