// The last steps of a product on the GPU that several algorithms share. All run in the default
// stream and take scratch memory of what DeviceBuffers keep.
#pragma once

#include "kernels/spgemm/device_product.hpp"
#include "matrix/cuda/device_csr.hpp"

#include <memory>
#include <vector>

namespace sptune::cuda {

/// An empty rows × cols matrix, row_ptr all 0.
template <class T, class P>
DeviceCsr<T, P> empty_csr(index_t rows, index_t cols);

/// Turns the lengths of C's rows, in row_ptr[0, rows), into row pointers and allocates the rest.
/// Throws SizeOverflow where nnz(C) does not fit P, and OutOfMemory where C alone needs more than
/// `memory_bytes`.
template <class T, class P>
void allocate_rows(DeviceCsr<T, P>& c, std::uint64_t memory_bytes);

/// Sorts each row by column (CUB segmented sort), a piece of C at a time where all at once would
/// take more than `memory_bytes` beside C. Throws OutOfMemory where not even one row fits.
template <class T, class P>
void sort_columns(DeviceCsr<T, P>& c, std::uint64_t memory_bytes);

/// Does what the options ask of a C whose entries are all there, waits for it and hands it out.
/// `sorted`: the columns of each row are in order already.
template <class T, class P>
std::unique_ptr<Product<T, P>> finish(DeviceCsr<T, P> c, bool sorted, const SpgemmOptions& options);

/// Cuts rows into runs of at most `capacity` entries each and at least one row, a longer row on its
/// own: where each run begins, then the number of rows. `row_ptr` lies on the device.
template <class P>
std::vector<index_t> cut_rows(const P* row_ptr, index_t rows, std::int64_t capacity);

/// What C and all temporaries may take: what the options allow, and what there is.
std::uint64_t memory_for(const SpgemmOptions& options);

}  // namespace sptune::cuda
