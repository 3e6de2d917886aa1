// A CSR matrix in the memory of the current GPU.
#pragma once

#include "matrix/csr.hpp"
#include "matrix/cuda/device_buffer.hpp"

namespace sptune {

template <class T, class P = std::int32_t>
struct DeviceCsr {
    index_t rows = 0, cols = 0;
    P entries = 0;
    DeviceBuffer<P> row_ptr;
    DeviceBuffer<index_t> col_idx;
    DeviceBuffer<T> values;

    DeviceCsr() = default;
    /// Copies a host matrix.
    explicit DeviceCsr(CsrView<T, P> host)
        : rows(host.rows),
          cols(host.cols),
          entries(host.nnz()),
          row_ptr(host.rows ? host.row_ptr : &kZero, static_cast<std::size_t>(host.rows) + 1),
          col_idx(host.col_idx, static_cast<std::size_t>(host.nnz())),
          values(host.values, static_cast<std::size_t>(host.nnz())) {}

    CsrView<T, P> view() const {
        return {rows, cols, row_ptr.data(), col_idx.data(), values.data(), entries};
    }

  private:
    static constexpr P kZero = 0;  ///< the row pointer of no rows, which a host may leave out
};

}  // namespace sptune
