#include "kernels/cuda/primitives.hpp"
#include "kernels/spgemm/finish.hpp"
#include "kernels/spgemm/tiled/ladder.hpp"
#include "matrix/cuda/device.cuh"
#include "matrix/cuda/grid.hpp"

#include <algorithm>

namespace sptune::cuda {
namespace {

constexpr int kThreads = 256;

/// How many entries each row of C can have at most. A warp per row of A.
template <class P>
__global__ void bound_rows(const P* a_ptr, const index_t* a_col, index_t rows, const P* b_ptr,
                           index_t b_cols, std::int64_t* bound) {
    const std::int64_t row = global_thread() / kWarp;
    if (row >= rows) return;
    std::int64_t products = 0;
    for (P k = a_ptr[row] + threadIdx.x % kWarp; k < a_ptr[row + 1]; k += kWarp)
        products += b_ptr[a_col[k] + 1] - b_ptr[a_col[k]];
    products = group_sum<kWarp>(products);
    if (threadIdx.x % kWarp == 0) bound[row] = min(products, std::int64_t{b_cols});
}

__device__ std::int32_t take_place(std::int32_t* next) {
    return atomicAdd(next, 1);
}
__device__ std::int64_t take_place(std::int64_t* next) {
    return static_cast<std::int64_t>(atomicAdd(reinterpret_cast<unsigned long long*>(next), 1ull));
}

template <class T, class P>
__global__ void count_triplets(CooSink<T> from, P* row_length) {
    const auto size = static_cast<std::int64_t>(*from.count);
    for (std::int64_t k = global_thread(); k < size; k += std::int64_t{gridDim.x} * blockDim.x)
        take_place(row_length + from.row[k]);
}

template <class T, class P>
__global__ void place_triplets(CooSink<T> from, P* next, index_t* col, T* value) {
    const auto size = static_cast<std::int64_t>(*from.count);
    for (std::int64_t k = global_thread(); k < size; k += std::int64_t{gridDim.x} * blockDim.x) {
        const P place = take_place(next + from.row[k]);
        col[place] = from.col[k];
        value[place] = from.value[k];
    }
}

/// Runs of rows of A whose triplets fit `memory` together with C, and room for the largest of them.
template <class T, class P>
struct Chunks {
    std::vector<index_t> cuts;
    std::size_t capacity = 0;

    Chunks(const SpgemmProblem<T, P>& p, std::uint64_t memory) {
        // Of one chunk: the triplets, and beside them C, which is no larger, and where its rows are
        // written.
        constexpr std::uint64_t beside = sizeof(index_t) + sizeof(T);
        const std::uint64_t all = p.upper_entries * (CooBuffer<T>::kBytes + beside) +
                                  2 * (static_cast<std::uint64_t>(p.a.rows) + 1) * sizeof(P);
        cuts = {0, p.a.rows};
        capacity = p.upper_entries;
        if (all <= memory) return;
        const std::uint64_t longest =
            std::min<std::uint64_t>(p.longest_row, static_cast<std::uint64_t>(p.b.cols));
        capacity = std::max(longest, memory / 4 / CooBuffer<T>::kBytes);
        if (longest * CooBuffer<T>::kBytes > memory)
            throw OutOfMemory("the triplets of the longest row of the product",
                              longest * CooBuffer<T>::kBytes);
        DeviceBuffer<std::int64_t> bound(static_cast<std::size_t>(p.a.rows) + 1);
        bound_rows<<<blocks_for(p.a.rows, kThreads / kWarp), kThreads>>>(
            p.a.row_ptr, p.a.col_idx, p.a.rows, p.b.row_ptr, p.b.cols, bound.data());
        SPTUNE_CUDA_LAUNCHED("bound_rows");
        counts_to_pointers(bound);
        cuts = cut_rows(bound.data(), p.a.rows, static_cast<std::int64_t>(capacity));
    }
    std::size_t size() const { return cuts.size() - 1; }
};

}  // namespace

template <class T, class P>
std::unique_ptr<Product<T, P>> multiply_tiled(const SpgemmProblem<T, P>& problem,
                                              const SpgemmOptions& options, LadderRun<T, P> run) {
    DeviceCsr<T, P> c = empty_csr<T, P>(problem.a.rows, problem.b.cols);
    if (problem.products == 0) return finish(std::move(c), true, options);
    const std::uint64_t memory = memory_for(options);
    {
        const Chunks<T, P> chunks(problem, memory);
        CooBuffer<T> triplets(chunks.capacity);
        const unsigned grid = blocks_for(
            std::min<std::int64_t>(static_cast<std::int64_t>(chunks.capacity), 1 << 22), kThreads);
        const auto run_chunk = [&](std::size_t i) {
            triplets.count.fill_bytes(0);
            run(problem.a, problem.b, chunks.cuts[i], chunks.cuts[i + 1], triplets.sink());
        };
        for (std::size_t i = 0; i < chunks.size(); ++i) {
            run_chunk(i);
            count_triplets<<<grid, kThreads>>>(triplets.sink(), c.row_ptr.data());
            SPTUNE_CUDA_LAUNCHED("count_triplets");
        }
        allocate_rows(c, memory - std::min(memory, chunks.capacity * CooBuffer<T>::kBytes +
                                                       c.row_ptr.bytes()));  // `next`
        DeviceBuffer<P> next(c.row_ptr.size());
        SPTUNE_CUDA(cudaMemcpyAsync(next.data(), c.row_ptr.data(), next.bytes(),
                                    cudaMemcpyDeviceToDevice, nullptr));
        for (std::size_t i = 0; i < chunks.size(); ++i) {
            if (chunks.size() > 1) run_chunk(i);
            place_triplets<<<grid, kThreads>>>(triplets.sink(), next.data(), c.col_idx.data(),
                                               c.values.data());
            SPTUNE_CUDA_LAUNCHED("place_triplets");
        }
    }
    return finish(std::move(c), false, options);
}

#define SPTUNE_INSTANTIATE(T, P)                                                       \
    template std::unique_ptr<Product<T, P>> multiply_tiled(const SpgemmProblem<T, P>&, \
                                                           const SpgemmOptions&, LadderRun<T, P>);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune::cuda
