#include "kernels/cuda/device.cuh"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/primitives.hpp"
#include "kernels/cuda/rows_of_entries.hpp"
#include "kernels/instantiate.hpp"
#include "kernels/spmv/coo/cuda_format.hpp"

namespace sptune::cuda {
namespace {

constexpr int kThreads = 256;

template <class P>
__global__ void flag_empty_rows(const P* row_ptr, index_t rows, std::uint8_t* flags) {
    const std::int64_t i = global_thread();
    if (i < rows) flags[i] = row_ptr[i] == row_ptr[i + 1];
}

__global__ void narrow(const std::int64_t* from, std::int64_t size, index_t* to) {
    const std::int64_t i = global_thread();
    if (i < size) to[i] = static_cast<index_t>(from[i]);
}

template <class T, class P>
DeviceBuffer<index_t> empty_rows(CsrView<T, P> a) {
    if (a.rows == 0) return {};
    DeviceBuffer<std::uint8_t> flags(static_cast<std::size_t>(a.rows));
    flag_empty_rows<<<blocks_for(a.rows, kThreads), kThreads>>>(a.row_ptr, a.rows, flags.data());
    SPTUNE_CUDA_LAUNCHED("flag_empty_rows");
    const DeviceBuffer<std::int64_t> found = positions_of(flags.data(), a.rows);
    if (found.empty()) return {};
    DeviceBuffer<index_t> rows(found.size());
    const auto size = static_cast<std::int64_t>(found.size());
    narrow<<<blocks_for(size, kThreads), kThreads>>>(found.data(), size, rows.data());
    SPTUNE_CUDA_LAUNCHED("narrow");
    return rows;
}

template <class T>
std::size_t most_tiles(std::size_t nnz) {
    return (nnz + CooStorage<T>::kMinTile - 1) / CooStorage<T>::kMinTile;
}

template <class N>
DeviceBuffer<N> copy(const N* from, std::size_t size) {
    DeviceBuffer<N> to(size);
    if (size)
        SPTUNE_CUDA(
            cudaMemcpyAsync(to.data(), from, to.bytes(), cudaMemcpyDeviceToDevice, nullptr));
    return to;
}

}  // namespace

template <class T, class P>
Footprint CooFormat::inspect(CsrView<T, P> a, const Features& features, const Params&) {
    const auto nnz = static_cast<std::uint64_t>(a.nnz());
    Footprint f;
    f.moved_bytes = nnz * (sizeof(T) + 2 * sizeof(index_t)) +
                    static_cast<std::uint64_t>(features.empty_rows) * sizeof(index_t);
    f.storage_bytes = f.moved_bytes + most_tiles<T>(nnz) * (sizeof(T) + sizeof(index_t));
    return f;
}

/// The entries of a CSR matrix are sorted by row already.
template <class T, class P>
std::unique_ptr<Storage> CooFormat::convert(CsrView<T, P> a, const Params&, int) {
    auto s = std::make_unique<CooStorage<T>>();
    const auto nnz = static_cast<std::size_t>(a.nnz());
    s->rows = a.rows;
    s->cols = a.cols;
    s->row = DeviceBuffer<index_t>(nnz);
    rows_of_entries(a.row_ptr, a.rows, a.nnz(), s->row.data());
    s->column = copy(a.col_idx, nnz);
    s->values = copy(a.values, nnz);
    s->empty_row = empty_rows(a);
    s->carry_row = DeviceBuffer<index_t>(most_tiles<T>(nnz));
    s->carry = DeviceBuffer<T>(most_tiles<T>(nnz));
    SPTUNE_CUDA(cudaStreamSynchronize(nullptr));
    return s;
}

SPTUNE_INSTANTIATE_FORMAT(CooFormat)

}  // namespace sptune::cuda
