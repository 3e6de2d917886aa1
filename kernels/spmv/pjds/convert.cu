#include "kernels/cuda/primitives.hpp"
#include "kernels/cuda/row_lengths.hpp"
#include "kernels/instantiate.hpp"
#include "kernels/spmv/pjds/cuda_format.hpp"
#include "kernels/spmv/row_order.cuh"
#include "kernels/spmv/transpose_rows.cuh"
#include "matrix/partition_point.hpp"

namespace sptune::cuda {
namespace {

constexpr int kThreads = 256;

std::int64_t chunks_of(index_t rows, int c) {
    return (std::int64_t{rows} + c - 1) / c;
}

/// Adds up what all chunks store. `rising`: the lengths of all rows, rising.
__global__ void total_stored(const std::uint32_t* rising, index_t rows, int c, std::int64_t chunks,
                             unsigned long long* stored) {
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    unsigned long long sum = 0;
    for (std::int64_t k = global_thread(); k < chunks; k += stride)
        sum += static_cast<unsigned long long>(rising[rows - 1 - k * c]) * c;
    sum = group_sum<kWarp>(sum);
    if (threadIdx.x % kWarp == 0 && sum) atomicAdd(stored, sum);
}

template <class P>
__global__ void list_chunks(const P* row_ptr, const index_t* order, int c, std::int64_t chunks,
                            index_t* length) {
    const std::int64_t k = global_thread();
    if (k >= chunks) return;
    const index_t i = order[k * c];  // the longest of its chunk
    length[k] = static_cast<index_t>(row_ptr[i + 1] - row_ptr[i]);
}

/// count[j] becomes what diagonal j stores: all rows of the chunks that reach it.
__global__ void count_diagonal(const index_t* length, std::int64_t chunks, int c, index_t longest,
                               std::int64_t* count) {
    const std::int64_t j = global_thread();
    if (j >= longest) return;
    count[j] = c * partition_point(std::int64_t{0}, chunks,
                                   [&](std::int64_t chunk) { return length[chunk] > j; });
}

template <class T>
struct PjdsFill {
    T* values;
    index_t* column;
    const std::int64_t* diagonal;
    const index_t* length;
    int chunk;

    __device__ index_t width(std::int64_t first, index_t) const { return length[first / chunk]; }
    __device__ void operator()(const RowEntry<T>& e) const {
        const std::int64_t at = diagonal[e.j] + e.place;
        values[at] = e.value;
        column[at] = e.column < 0 ? 0 : e.column;
    }
};

/// Most rows are short; those that are not stand in the first slices and get many blocks each.
template <class T, class P>
void fill(CsrView<T, P> a, const index_t* order, index_t longest, const PjdsFill<T>& fill) {
    constexpr std::int64_t kShort = 1024, kBlocks = 1 << 14;
    const std::int64_t c = fill.chunk, slices = chunks_of(a.rows, fill.chunk) * c / kSlice;
    transpose_rows(a, order, slices, 0, std::min<std::int64_t>(longest, kShort), parts_for(slices),
                   fill);
    if (longest <= kShort) return;
    const std::int64_t long_rows = static_cast<std::int64_t>(a.nnz()) / kShort + 1;
    const std::int64_t long_slices = std::min(slices, (long_rows + c - 1) / c * c / kSlice);
    transpose_rows(a, order, long_slices, kShort, longest, kBlocks / long_slices + 1, fill);
}

}  // namespace

template <class T, class P>
Footprint PjdsFormat::inspect(CsrView<T, P> a, const Features&, const Params& params) {
    const int c = get(params, "c");
    const std::int64_t chunks = chunks_of(a.rows, c);
    const index_t longest = longest_row(a.row_ptr, a.rows);
    unsigned long long stored = 0;
    if (a.rows > 0) {
        const DeviceBuffer<std::uint32_t> rising = sorted_lengths(a.row_ptr, a.rows, longest);
        DeviceBuffer<unsigned long long> total(1);
        total.fill_bytes(0);
        const unsigned blocks =
            std::min(blocks_for(chunks, kThreads), 8u * static_cast<unsigned>(multiprocessors()));
        total_stored<<<blocks, kThreads>>>(rising.data(), a.rows, c, chunks, total.data());
        SPTUNE_CUDA_LAUNCHED("total_stored");
        stored = total.at(0);
    }
    Footprint f;
    f.storage_bytes = stored * (sizeof(T) + sizeof(index_t)) +
                      (static_cast<std::uint64_t>(a.rows) + static_cast<std::uint64_t>(chunks)) *
                          sizeof(index_t) +
                      (static_cast<std::uint64_t>(longest) + 1) * sizeof(std::int64_t);
    f.moved_bytes = f.storage_bytes;
    return f;
}

template <class T, class P>
std::unique_ptr<Storage> PjdsFormat::convert(CsrView<T, P> a, const Params& params, int) {
    auto s = std::make_unique<PjdsStorage<T>>();
    s->rows = a.rows;
    s->cols = a.cols;
    s->chunk = get(params, "c");
    const std::int64_t chunks = chunks_of(a.rows, s->chunk);
    const index_t longest = longest_row(a.row_ptr, a.rows);
    s->diagonal = DeviceBuffer<std::int64_t>(static_cast<std::size_t>(longest) + 1);
    s->order = order_rows(a.row_ptr, a.rows, kAll, longest);
    s->length = DeviceBuffer<index_t>(static_cast<std::size_t>(chunks));
    if (longest > 0) {
        list_chunks<<<blocks_for(chunks, kThreads), kThreads>>>(a.row_ptr, s->order.data(),
                                                                s->chunk, chunks, s->length.data());
        SPTUNE_CUDA_LAUNCHED("list_chunks");
        count_diagonal<<<blocks_for(longest, kThreads), kThreads>>>(
            s->length.data(), chunks, s->chunk, longest, s->diagonal.data());
        SPTUNE_CUDA_LAUNCHED("count_diagonal");
        const auto stored = static_cast<std::size_t>(counts_to_pointers(s->diagonal));
        s->column = DeviceBuffer<index_t>(stored);
        s->values = DeviceBuffer<T>(stored);
        fill(a, s->order.data(), longest,
             PjdsFill<T>{s->values.data(), s->column.data(), s->diagonal.data(), s->length.data(),
                         s->chunk});
    } else if (a.rows > 0) {
        s->length.fill_bytes(0);
        s->diagonal.fill_bytes(0);
    }
    SPTUNE_CUDA(cudaStreamSynchronize(nullptr));
    return s;
}

SPTUNE_INSTANTIATE_FORMAT(PjdsFormat)

}  // namespace sptune::cuda
