#include "kernels/cuda/device.cuh"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/rows_of_entries.hpp"
#include "kernels/cuda/sort.hpp"
#include "kernels/instantiate.hpp"
#include "kernels/spmv/hub/fill_entry_tiles.cuh"
#include "kernels/spmv/strips/cuda_format.hpp"

#include <algorithm>
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

}  // namespace

template <class T, class P>
Footprint StripsFormat::inspect(CsrView<T, P> a, const Features&, const Params& params) {
    Footprint f;
    if (a.nnz() > kMostEntries) f.illegal = "2^31 entries or more";
    if (strips_of(a.cols, columns_of_strip<T>(params)) < 2)
        f.illegal = "one strip holds all columns: the same as coo";
    if (!f.illegal.empty()) return f;
    const auto nnz = static_cast<std::uint64_t>(a.nnz());
    f.moved_bytes = nnz * (sizeof(T) + sizeof(std::uint32_t));
    // Each entry may be all that its row has in a strip.
    const std::uint64_t tiles = nnz / kTileEntries + 1;
    f.storage_bytes =
        tiles * (kTileEntries * (sizeof(T) + sizeof(std::uint32_t) + sizeof(index_t)) +
                 sizeof(std::int32_t));
    return f;
}

template <class T, class P>
std::unique_ptr<Storage> StripsFormat::convert(CsrView<T, P> a, const Params& params, int) {
    auto s = std::make_unique<StripsStorage<T>>();
    s->rows = a.rows;
    s->cols = a.cols;
    const std::int64_t nnz = a.nnz();
    if (nnz == 0) return s;
    const index_t columns = columns_of_strip<T>(params);
    const auto entries = static_cast<std::size_t>(nnz);
    DeviceBuffer<index_t> entry(entries);
    {
        DeviceBuffer<std::uint32_t> strip(entries);
        strips_of_entries<<<blocks_for(nnz, kThreads), kThreads>>>(a.col_idx, nnz, columns,
                                                                   strip.data(), entry.data());
        SPTUNE_CUDA_LAUNCHED("strips_of_entries");
        sort_by_key(strip, entry, bits_for(static_cast<std::uint64_t>(strips_of(a.cols, columns))));
    }
    DeviceBuffer<index_t> row_of(entries);
    rows_of_entries(a.row_ptr, a.rows, nnz, row_of.data());
    const std::int64_t all[] = {0, nnz};
    s->entries =
        tiles_of<std::uint32_t>(a, stretches_of(all, 1, 0), entry.data(), row_of.data(), nullptr);
    SPTUNE_CUDA(cudaStreamSynchronize(nullptr));
    return s;
}

SPTUNE_INSTANTIATE_FORMAT(StripsFormat)

}  // namespace sptune::cuda
