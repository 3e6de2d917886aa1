// Apart from the conversion: a choice that only asks should not load the code of that.
#include "kernels/spmv/hub/popularity.hpp"
#include "matrix/counter_random.hpp"
#include "matrix/cuda/device.cuh"
#include "matrix/cuda/grid.hpp"

#include <algorithm>
#include <numeric>

namespace sptune::cuda {
namespace {

constexpr int kThreads = 256;

unsigned some_blocks(std::int64_t work) {
    return std::min(blocks_for(work, kThreads), 8u * static_cast<unsigned>(multiprocessors()));
}

__global__ void count_kernel(const index_t* col_idx, std::int64_t nnz, std::uint32_t* count) {
    const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
    for (std::int64_t k = global_thread(); k < nnz; k += stride) atomicAdd(count + col_idx[k], 1u);
}

/// Looks at one of every `every` warps' worth of entries. Those of one half are counted in the low
/// 32 bits, those of the other in the high ones.
__global__ void sample_kernel(const index_t* col_idx, std::int64_t nnz, std::int64_t every,
                              unsigned long long* count) {
    const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
    for (std::int64_t i = global_thread();; i += stride) {
        const std::int64_t window = i / kWarp;
        if (window * every * kWarp >= nnz) return;
        // Not always the first: rows of so many entries would show their first ones alone.
        const std::uint64_t random = mix64(static_cast<std::uint64_t>(window));
        const auto offset =
            static_cast<std::int64_t>((random >> 1) % static_cast<std::uint64_t>(every));
        const std::int64_t k = (window * every + offset) * kWarp + i % kWarp;
        if (k < nnz) atomicAdd(count + col_idx[k], random & 1 ? 1ull << 32 : 1ull);
    }
}

__global__ void group_kernel(const unsigned long long* count, index_t cols, ColumnGroups* groups) {
    constexpr int kGroups = static_cast<int>(ColumnGroups::kGroups);
    __shared__ unsigned columns[kGroups];
    __shared__ unsigned long long entries[kGroups];
    for (int g = static_cast<int>(threadIdx.x); g < kGroups; g += kThreads)
        columns[g] = 0, entries[g] = 0;
    __syncthreads();
    const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
    for (std::int64_t c = global_thread(); c < cols; c += stride) {
        const unsigned long long n = count[c];
        const std::uint32_t g = ColumnGroups::group_of(static_cast<std::uint32_t>(n));
        atomicAdd(columns + g, 1u);
        if (n) atomicAdd(entries + g, (n & 0xffffffffull) + (n >> 32));
    }
    __syncthreads();
    for (int g = static_cast<int>(threadIdx.x); g < kGroups; g += kThreads)
        if (columns[g]) {
            atomicAdd(groups->columns.data() + g, static_cast<unsigned long long>(columns[g]));
            atomicAdd(groups->entries.data() + g, entries[g]);
        }
}

}  // namespace

double ColumnGroups::share_of(std::int64_t wanted) const {
    double held = 0, left = static_cast<double>(wanted);
    for (std::size_t g = kGroups; g-- > 0 && left > 0;) {
        const auto of_group = static_cast<double>(columns[g]);
        const auto n = static_cast<double>(entries[g]);
        held += of_group <= left ? n : n * left / of_group;
        left -= of_group;
    }
    const auto all = static_cast<double>(std::accumulate(entries.begin(), entries.end(), 0ull));
    return all > 0 ? held / all : 0;
}

DeviceBuffer<std::uint32_t> count_columns(const index_t* col_idx, std::int64_t nnz, index_t cols) {
    DeviceBuffer<std::uint32_t> count(static_cast<std::size_t>(cols));
    count.fill_bytes(0);
    if (nnz == 0) return count;
    count_kernel<<<some_blocks(nnz), kThreads>>>(col_idx, nnz, count.data());
    SPTUNE_CUDA_LAUNCHED("count_kernel");
    return count;
}

ColumnGroups group_columns(const index_t* col_idx, std::int64_t nnz, index_t cols) {
    constexpr std::int64_t kEnough = 1 << 22;  // entries
    const std::int64_t every = 1 + nnz / kEnough;
    DeviceBuffer<unsigned long long> count(static_cast<std::size_t>(cols));
    count.fill_bytes(0);
    if (nnz > 0) {
        sample_kernel<<<some_blocks(nnz / every + kWarp), kThreads>>>(col_idx, nnz, every,
                                                                      count.data());
        SPTUNE_CUDA_LAUNCHED("sample_kernel");
    }
    DeviceBuffer<ColumnGroups> groups(1);
    groups.fill_bytes(0);
    if (cols > 0) {
        group_kernel<<<some_blocks(cols), kThreads>>>(count.data(), cols, groups.data());
        SPTUNE_CUDA_LAUNCHED("group_kernel");
    }
    return groups.at(0);
}

}  // namespace sptune::cuda
