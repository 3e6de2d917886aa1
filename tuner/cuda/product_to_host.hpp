// C back from the GPU.
#pragma once

#include "features/sample.hpp"
#include "kernels/spgemm/kernel.hpp"
#include "matrix/cuda/device_buffer.hpp"

#include <algorithm>
#include <span>

namespace sptune::tuner {

template <class T>
void copy_out(T* to, const T* from, std::size_t size) {
    if (size) SPTUNE_CUDA(cudaMemcpy(to, from, size * sizeof(T), cudaMemcpyDeviceToHost));
}

/// `product`, whatever made it, in host memory: all row pointers, and the entries of these rows at
/// their places. What lies between is left as it is; memory that nobody touches takes none. Throws
/// OutOfMemory, CudaError, and Error where row pointers lead out of C.
template <class T, class P>
Csr<T, P> to_host(const Product<T, P>& product, std::span<const RowWindow> windows) {
    const CsrView<T, P> c = product.view();
    Csr<T, P> host{c.rows, c.cols, {}, {}, {}};
    if (c.rows == 0) {
        host.row_ptr = Buffer<P>(1, P{0});
        return host;
    }
    host.row_ptr = Buffer<P>(static_cast<std::size_t>(c.rows) + 1);
    copy_out(host.row_ptr.data(), c.row_ptr, host.row_ptr.size());
    // What a wrong kernel says of its size must not be believed.
    const P entries = std::max<P>(host.nnz(), 0);
    host.col_idx = Buffer<index_t>(static_cast<std::size_t>(entries));
    host.values = Buffer<T>(static_cast<std::size_t>(entries));
    for (const RowWindow& w : windows) {
        const P from = host.row_ptr[static_cast<std::size_t>(w.first)];
        const P to = host.row_ptr[static_cast<std::size_t>(w.last)];
        if (from < 0 || to < from || to > entries)
            throw Error("the row pointers of the product lead out of it");
        const auto size = static_cast<std::size_t>(to - from);
        copy_out(host.col_idx.data() + from, c.col_idx + from, size);
        copy_out(host.values.data() + from, c.values + from, size);
    }
    return host;
}

/// All of it.
template <class T, class P>
Csr<T, P> to_host(const Product<T, P>& product) {
    const RowWindow all{0, product.view().rows};
    return to_host(product, std::span(&all, 1));
}

}  // namespace sptune::tuner
