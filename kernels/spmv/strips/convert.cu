#include "kernels/cuda/device.cuh"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/primitives.hpp"
#include "kernels/cuda/rows_of_entries.hpp"
#include "kernels/cuda/sort.hpp"
#include "kernels/instantiate.hpp"
#include "kernels/spmv/hub/fill_entry_tiles.cuh"
#include "kernels/spmv/strips/cuda_format.hpp"

#include <memory>
#include <string>

namespace sptune::cuda {
namespace {

template <class T>
index_t columns_of_strip(const Params& params) {
    return static_cast<index_t>((std::size_t{1} << 20) / sizeof(T)) * get(params, "m");
}

std::int64_t strips_of(index_t cols, index_t columns) {
    return (std::int64_t{cols} + columns - 1) / columns;
}

__global__ void strips_of_entries(const index_t* col_idx, std::int64_t nnz, index_t columns,
                                  std::uint32_t* strip, index_t* entry) {
    const std::int64_t k = global_thread();
    if (k >= nnz) return;
    strip[k] = static_cast<std::uint32_t>(col_idx[k] / columns);
    entry[k] = static_cast<index_t>(k);
}

/// Entries in the order of their strips, in which those of a strip stay as they were.
template <class T, class P>
DeviceBuffer<index_t> sorted_by_strip(CsrView<T, P> a, index_t columns) {
    const auto entries = static_cast<std::size_t>(a.nnz());
    DeviceBuffer<index_t> entry(entries);
    DeviceBuffer<std::uint32_t> strip(entries);
    strips_of_entries<<<blocks_for(a.nnz(), kThreads), kThreads>>>(a.col_idx, a.nnz(), columns,
                                                                   strip.data(), entry.data());
    SPTUNE_CUDA_LAUNCHED("strips_of_entries");
    sort_by_key(strip, entry, bits_for(static_cast<std::uint64_t>(strips_of(a.cols, columns))));
    return entry;
}

template <class T>
struct StripRows {
    std::int32_t* count;  ///< entries of each row of each strip
    index_t* column;
    T* values;
};

template <class T, class P>
__global__ void fill_strip_rows(CsrView<T, P> a, std::int64_t nnz, index_t columns,
                                const index_t* entry, const index_t* row_of, StripRows<T> out) {
    const std::int64_t n = global_thread();
    if (n >= nnz) return;
    const index_t k = entry[n], column = a.col_idx[k];
    out.column[n] = column;
    out.values[n] = a.values[k];
    atomicAdd(out.count + std::int64_t{column / columns} * a.rows + row_of[k], 1);
}

std::string illegal(std::int64_t nnz, std::int64_t rows, std::int64_t strips, bool by_rows) {
    if (nnz > kMostEntries) return "2^31 entries or more";
    if (by_rows && strips * rows >= kMostEntries) return "2^31 rows of strips or more";
    if (strips < 2) return "one strip holds all columns: the same as without";
    return {};
}

template <class T, class P>
std::unique_ptr<Storage> tiles_of_strips(CsrView<T, P> a, const index_t* entry,
                                         const index_t* row_of) {
    auto s = std::make_unique<StripsStorage<T>>();
    s->rows = a.rows;
    s->cols = a.cols;
    const std::int64_t all[] = {0, a.nnz()};
    s->entries = tiles_of<std::uint32_t>(a, stretches_of(all, 1, 0), entry, row_of, nullptr);
    return s;
}

template <class T, class P>
std::unique_ptr<Storage> rows_of_strips(CsrView<T, P> a, index_t columns, const index_t* entry,
                                        const index_t* row_of) {
    auto s = std::make_unique<StripRowsStorage<T>>();
    const std::int64_t nnz = a.nnz();
    const auto entries = static_cast<std::size_t>(nnz);
    s->rows = a.rows;
    s->cols = a.cols;
    s->strips = static_cast<int>(strips_of(a.cols, columns));
    s->row_ptr = DeviceBuffer<std::int32_t>(
        static_cast<std::size_t>(s->strips) * static_cast<std::size_t>(a.rows) + 1);
    s->row_ptr.fill_bytes(0);
    s->column = DeviceBuffer<index_t>(entries);
    s->values = DeviceBuffer<T>(entries);
    fill_strip_rows<<<blocks_for(nnz, kThreads), kThreads>>>(
        a, nnz, columns, entry, row_of,
        StripRows<T>{s->row_ptr.data(), s->column.data(), s->values.data()});
    SPTUNE_CUDA_LAUNCHED("fill_strip_rows");
    counts_to_pointers(s->row_ptr);
    return s;
}

}  // namespace

template <class T, class P>
Footprint StripsFormat::inspect(CsrView<T, P> a, const Features&, const Params& params) {
    const std::int64_t strips = strips_of(a.cols, columns_of_strip<T>(params));
    const bool by_rows = get(params, "o") == 2;
    Footprint f;
    f.illegal = illegal(a.nnz(), a.rows, strips, by_rows);
    if (!f.illegal.empty()) return f;
    const auto nnz = static_cast<std::uint64_t>(a.nnz());
    const std::uint64_t row_ptrs =
        static_cast<std::uint64_t>(strips * a.rows + 1) * sizeof(std::int32_t);
    const std::uint64_t entries = nnz * (sizeof(T) + sizeof(index_t));
    // Each entry may be all that its row has in a strip.
    const std::uint64_t tiles = nnz / kTileEntries + 1;
    f.moved_bytes = entries + (by_rows ? row_ptrs : 0);
    f.storage_bytes =
        by_rows ? f.moved_bytes
                : tiles * (kTileEntries * (sizeof(T) + sizeof(std::uint32_t) + sizeof(index_t)) +
                           sizeof(std::int32_t));
    return f;
}

template <class T, class P>
std::unique_ptr<Storage> StripsFormat::convert(CsrView<T, P> a, const Params& params, int) {
    const index_t columns = columns_of_strip<T>(params);
    const DeviceBuffer<index_t> entry = sorted_by_strip(a, columns);
    DeviceBuffer<index_t> row_of(entry.size());
    rows_of_entries(a.row_ptr, a.rows, a.nnz(), row_of.data());
    std::unique_ptr<Storage> s = get(params, "o") == 2
                                     ? rows_of_strips(a, columns, entry.data(), row_of.data())
                                     : tiles_of_strips(a, entry.data(), row_of.data());
    SPTUNE_CUDA(cudaStreamSynchronize(nullptr));
    return s;
}

SPTUNE_INSTANTIATE_FORMAT(StripsFormat)

}  // namespace sptune::cuda
