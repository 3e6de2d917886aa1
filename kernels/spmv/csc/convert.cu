#include "kernels/cuda/device.cuh"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/rows_of_entries.hpp"
#include "kernels/cuda/sort.hpp"
#include "kernels/instantiate.hpp"
#include "kernels/spmv/csc/cuda_format.hpp"
#include "matrix/partition_point.hpp"

#include <limits>

namespace sptune::cuda {
namespace {

constexpr int kThreads = 256;

template <class Key, class Item>
__global__ void number_entries(const index_t* col_idx, std::int64_t nnz, Key* column,
                               Item* position) {
    const std::int64_t k = global_thread();
    if (k >= nnz) return;
    column[k] = static_cast<Key>(col_idx[k]);
    position[k] = static_cast<Item>(k);
}

/// col_ptr[j] = entries with a column before j, for j in [0, cols].
template <class Key>
__global__ void find_columns(const Key* sorted_columns, std::int64_t nnz, index_t cols,
                             std::int64_t* col_ptr) {
    const std::int64_t j = global_thread();
    if (j > cols) return;
    col_ptr[j] = partition_point(std::int64_t{0}, nnz, [&](std::int64_t k) {
        return static_cast<std::int64_t>(sorted_columns[k]) < j;
    });
}

template <class T, class Item>
__global__ void reorder(const Item* position, std::int64_t nnz, const index_t* row, const T* values,
                        index_t* to_row, T* to_values) {
    const std::int64_t k = global_thread();
    if (k >= nnz) return;
    const Item from = position[k];
    to_row[k] = row[from];
    to_values[k] = values[from];
}

/// A stable sort by column leaves the rows of a column in order. `Item` holds the position of an
/// entry.
template <class Key, class Item, class T, class P>
void transpose(CsrView<T, P> a, CscStorage<T>& s) {
    const std::int64_t nnz = a.nnz();
    const auto size = static_cast<std::size_t>(nnz);
    DeviceBuffer<Key> column(size);
    DeviceBuffer<Item> position(size);
    if (nnz > 0) {
        number_entries<<<blocks_for(nnz, kThreads), kThreads>>>(a.col_idx, nnz, column.data(),
                                                                position.data());
        SPTUNE_CUDA_LAUNCHED("number_entries");
        sort_by_key(column, position, bits_for(static_cast<std::uint64_t>(a.cols)));
    }
    find_columns<<<blocks_for(std::int64_t{a.cols} + 1, kThreads), kThreads>>>(
        column.data(), nnz, a.cols, s.col_ptr.data());
    SPTUNE_CUDA_LAUNCHED("find_columns");
    if (nnz == 0) return;
    DeviceBuffer<index_t> row(size);
    rows_of_entries(a.row_ptr, a.rows, nnz, row.data());
    reorder<<<blocks_for(nnz, kThreads), kThreads>>>(position.data(), nnz, row.data(), a.values,
                                                     s.row.data(), s.values.data());
    SPTUNE_CUDA_LAUNCHED("reorder");
}

}  // namespace

template <class T, class P>
Footprint CscFormat::inspect(CsrView<T, P> a, const Features&, const Params&) {
    Footprint f;
    f.storage_bytes = static_cast<std::uint64_t>(a.nnz()) * (sizeof(T) + sizeof(index_t)) +
                      (static_cast<std::uint64_t>(a.cols) + 1) * sizeof(std::int64_t);
    f.moved_bytes = f.storage_bytes;
    return f;
}

template <class T, class P>
std::unique_ptr<Storage> CscFormat::convert(CsrView<T, P> a, const Params&, int) {
    auto s = std::make_unique<CscStorage<T>>();
    const auto nnz = static_cast<std::size_t>(a.nnz());
    s->rows = a.rows;
    s->cols = a.cols;
    s->col_ptr = DeviceBuffer<std::int64_t>(static_cast<std::size_t>(a.cols) + 1);
    s->row = DeviceBuffer<index_t>(nnz);
    s->values = DeviceBuffer<T>(nnz);
    if (nnz <= static_cast<std::size_t>(std::numeric_limits<index_t>::max()))
        transpose<std::uint32_t, index_t>(a, *s);
    else
        transpose<std::uint64_t, std::int64_t>(a, *s);
    SPTUNE_CUDA(cudaStreamSynchronize(nullptr));
    return s;
}

SPTUNE_INSTANTIATE_FORMAT(CscFormat)

}  // namespace sptune::cuda
