// CSR to the formats that cuSPARSE wants, on the GPU, in the default stream.
#pragma once

#include "matrix/csr.hpp"
#include "matrix/cuda/device_buffer.hpp"

namespace sptune::cusparse {

/// What a converted matrix consists of. Empty where the caller's arrays are used as they are.
template <class T, class P>
struct Arrays {
    DeviceBuffer<P> pointer;      ///< SELL: slices + 1; BSR: block rows + 1
    DeviceBuffer<index_t> row;    ///< COO alone
    DeviceBuffer<index_t> index;  ///< SELL: columns, -1 for padding; BSR: block columns
    DeviceBuffer<T> values;       ///< SELL: column by column of a slice; BSR: row by row of a block

    std::uint64_t bytes() const {
        return pointer.bytes() + row.bytes() + index.bytes() + values.bytes();
    }
};

/// Stored entries of SELL with slices of c rows; rows missing in the last slice are padding.
template <class P>
std::int64_t sell_entries(const P* row_ptr, index_t rows, int c);
/// sell_entries() must fit into P.
template <class T, class P>
Arrays<T, P> to_sell(CsrView<T, P> a, int c);

/// Blocks of `size` rows and columns on a fixed grid; -1 where the columns of a row are not sorted.
/// The rows must be a multiple of `size`, which is 2, 3, 4 or 8.
template <class T, class P>
std::int64_t bsr_blocks(CsrView<T, P> a, int size);
template <class T, class P>
Arrays<T, P> to_bsr(CsrView<T, P> a, int size);

}  // namespace sptune::cusparse
