#include "kernels/cuda/primitives.hpp"
#include "kernels/cuda/rows_of_entries.hpp"
#include "kernels/cuda/sort.hpp"
#include "kernels/spgemm/blocks/block_matrix.hpp"
#include "matrix/cuda/device.cuh"
#include "matrix/cuda/grid.hpp"

namespace sptune::cuda {
namespace {

constexpr int kThreads = 256;

/// The block of each item, as row · block_cols + column. Items are entries (s = 1) or small blocks.
__global__ void keys_of_items(const index_t* row, const index_t* col, std::int64_t items, int ratio,
                              std::int64_t block_cols, std::uint64_t* key, std::int64_t* item) {
    const std::int64_t k = global_thread();
    if (k >= items) return;
    key[k] = static_cast<std::uint64_t>(row[k] / ratio * block_cols + col[k] / ratio);
    item[k] = k;
}

/// 1 where a new block begins; the sums of these say which block an item belongs to.
__global__ void find_starts(const std::uint64_t* key, std::int64_t items, std::int64_t* start) {
    const std::int64_t k = global_thread();
    if (k < items) start[k] = k > 0 && key[k] != key[k - 1];
}

/// Columns of the blocks, and how many each block row has.
__global__ void place_blocks(const std::uint64_t* key, const std::int64_t* before,
                             std::int64_t items, std::int64_t block_cols, index_t* col,
                             unsigned long long* row_count) {
    const std::int64_t k = global_thread();
    if (k >= items) return;
    const std::uint64_t mine = key[k];
    if (k > 0 && key[k - 1] == mine) return;
    const auto width = static_cast<std::uint64_t>(block_cols);
    col[before[k + 1]] = static_cast<index_t>(mine % width);
    atomicAdd(row_count + mine / width, 1ull);
}

/// A thread for each number of each item: s·s of them into the m·m of its block. Duplicates of an
/// entry are added up.
template <class V>
__global__ void place_values(const std::int64_t* before, const std::int64_t* item,
                             const index_t* row, const index_t* col, const V* from,
                             const V* from_stored, std::int64_t items, int s, int m, V* to,
                             V* to_stored) {
    const std::int64_t n = global_thread(), size = s * s;
    const std::int64_t k = n / size;
    if (k >= items) return;
    const int at = static_cast<int>(n % size), ratio = m / s;
    const std::int64_t source = item[k];
    const int i = row[source] % ratio * s + at / s, j = col[source] % ratio * s + at % s;
    const std::int64_t place = before[k + 1] * m * m + i * m + j;
    atomicAdd(to + place, from[source * size + at]);
    to_stored[place] = from_stored ? from_stored[source * size + at] : V{1};
}

/// Items in the order of their blocks.
struct Sorted {
    DeviceBuffer<std::uint64_t> key;
    /// The item, and how many blocks begin before it in this order: of item k's block, before[k +
    /// 1] is the number.
    DeviceBuffer<std::int64_t> item, before;
    std::size_t blocks = 0;
};

/// There is at least one item. Blocks of m × m out of items of s × s.
Sorted sort_items(index_t rows, index_t cols, const index_t* row, const index_t* col,
                  std::int64_t items, int s, int m) {
    const auto size = static_cast<std::size_t>(items);
    const std::int64_t block_rows = (std::int64_t{rows} + m - 1) / m;
    const std::int64_t block_cols = (std::int64_t{cols} + m - 1) / m;
    Sorted sorted{DeviceBuffer<std::uint64_t>(size), DeviceBuffer<std::int64_t>(size),
                  DeviceBuffer<std::int64_t>(size + 1)};
    const unsigned grid = blocks_for(items, kThreads);
    keys_of_items<<<grid, kThreads>>>(row, col, items, m / s, block_cols, sorted.key.data(),
                                      sorted.item.data());
    SPTUNE_CUDA_LAUNCHED("keys_of_items");
    sort_by_key(sorted.key, sorted.item,
                bits_for(static_cast<std::uint64_t>(block_rows * block_cols)));
    find_starts<<<grid, kThreads>>>(sorted.key.data(), items, sorted.before.data());
    SPTUNE_CUDA_LAUNCHED("find_starts");
    sorted.blocks = static_cast<std::size_t>(counts_to_pointers(sorted.before)) + 1;
    return sorted;
}

/// Items with a row and a column each, gathered into blocks.
template <class V>
BlockMatrix<V> gather(index_t rows, index_t cols, const index_t* row, const index_t* col,
                      const V* values, const V* stored, std::int64_t items, int s, int m) {
    BlockMatrix<V> a;
    a.m = m;
    a.rows = rows;
    a.cols = cols;
    a.row_ptr = DeviceBuffer<std::int64_t>(static_cast<std::size_t>(a.block_rows()) + 1);
    a.row_ptr.fill_bytes(0);
    if (items == 0) return a;
    const Sorted sorted = sort_items(rows, cols, row, col, items, s, m);
    const std::size_t blocks = sorted.blocks;
    a.col = DeviceBuffer<index_t>(blocks);
    a.values = DeviceBuffer<V>(blocks * static_cast<std::size_t>(m * m));
    a.stored = DeviceBuffer<V>(a.values.size());
    a.values.fill_bytes(0);
    a.stored.fill_bytes(0);
    place_blocks<<<blocks_for(items, kThreads), kThreads>>>(
        sorted.key.data(), sorted.before.data(), items, a.block_cols(), a.col.data(),
        reinterpret_cast<unsigned long long*>(a.row_ptr.data()));
    SPTUNE_CUDA_LAUNCHED("place_blocks");
    counts_to_pointers(a.row_ptr);
    place_values<<<blocks_for(items * s * s, kThreads), kThreads>>>(
        sorted.before.data(), sorted.item.data(), row, col, values, stored, items, s, m,
        a.values.data(), a.stored.data());
    SPTUNE_CUDA_LAUNCHED("place_values");
    return a;
}

__global__ void keys_by_column(const index_t* row, const index_t* col, std::int64_t blocks,
                               std::int64_t block_rows, std::uint64_t* key, std::int64_t* block,
                               unsigned long long* col_count) {
    const std::int64_t k = global_thread();
    if (k >= blocks) return;
    key[k] = static_cast<std::uint64_t>(col[k] * block_rows + row[k]);
    block[k] = k;
    atomicAdd(col_count + col[k], 1ull);
}

__global__ void rows_from_keys(const std::uint64_t* key, std::int64_t blocks,
                               std::int64_t block_rows, index_t* row) {
    const std::int64_t k = global_thread();
    if (k < blocks) row[k] = static_cast<index_t>(key[k] % static_cast<std::uint64_t>(block_rows));
}

}  // namespace

template <class T, class P>
BlockMatrix<T> blocks_of(CsrView<T, P> a, int m) {
    DeviceBuffer<index_t> row(static_cast<std::size_t>(a.nnz()));
    if (!row.empty()) rows_of_entries(a.row_ptr, a.rows, a.nnz(), row.data());
    return gather<T>(a.rows, a.cols, row.data(), a.col_idx, a.values, nullptr, a.nnz(), 1, m);
}

template <class T, class P>
std::int64_t count_blocks(CsrView<T, P> a, int m) {
    if (a.nnz() == 0) return 0;
    DeviceBuffer<index_t> row(static_cast<std::size_t>(a.nnz()));
    rows_of_entries(a.row_ptr, a.rows, a.nnz(), row.data());
    return static_cast<std::int64_t>(
        sort_items(a.rows, a.cols, row.data(), a.col_idx, a.nnz(), 1, m).blocks);
}

template <class V>
BlockMatrix<V> regroup(const BlockMatrix<V>& a, int m) {
    DeviceBuffer<index_t> row(a.col.size());
    if (!row.empty()) rows_of_entries(a.row_ptr.data(), a.block_rows(), a.blocks(), row.data());
    return gather<V>(a.rows, a.cols, row.data(), a.col.data(), a.values.data(), a.stored.data(),
                     a.blocks(), a.m, m);
}

template <class V>
BlockColumns columns_of(const BlockMatrix<V>& a) {
    const auto size = static_cast<std::size_t>(a.blocks());
    BlockColumns by;
    by.col_ptr = DeviceBuffer<std::int64_t>(static_cast<std::size_t>(a.block_cols()) + 1);
    by.col_ptr.fill_bytes(0);
    if (size == 0) return by;
    by.row = DeviceBuffer<index_t>(size);
    by.block = DeviceBuffer<std::int64_t>(size);
    DeviceBuffer<index_t> row(size);
    DeviceBuffer<std::uint64_t> key(size);
    rows_of_entries(a.row_ptr.data(), a.block_rows(), a.blocks(), row.data());
    const unsigned grid = blocks_for(a.blocks(), kThreads);
    keys_by_column<<<grid, kThreads>>>(row.data(), a.col.data(), a.blocks(), a.block_rows(),
                                       key.data(), by.block.data(),
                                       reinterpret_cast<unsigned long long*>(by.col_ptr.data()));
    SPTUNE_CUDA_LAUNCHED("keys_by_column");
    counts_to_pointers(by.col_ptr);
    const auto places =
        static_cast<std::uint64_t>(a.block_rows()) * static_cast<std::uint64_t>(a.block_cols());
    sort_by_key(key, by.block, bits_for(places));
    rows_from_keys<<<grid, kThreads>>>(key.data(), a.blocks(), a.block_rows(), by.row.data());
    SPTUNE_CUDA_LAUNCHED("rows_from_keys");
    return by;
}

#define SPTUNE_INSTANTIATE(V)                                    \
    template BlockMatrix<V> regroup(const BlockMatrix<V>&, int); \
    template BlockColumns columns_of(const BlockMatrix<V>&);
SPTUNE_INSTANTIATE(float)
SPTUNE_INSTANTIATE(double)
SPTUNE_INSTANTIATE(std::uint32_t)

#define SPTUNE_INSTANTIATE_CSR(T, P)                       \
    template BlockMatrix<T> blocks_of(CsrView<T, P>, int); \
    template std::int64_t count_blocks(CsrView<T, P>, int);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE_CSR)

}  // namespace sptune::cuda
