#include "features/blocks.hpp"
#include "features/cuda/diagonals.hpp"
#include "features/cuda/sample.hpp"
#include "features/cuda/slots.cuh"
#include "features/diagonals.hpp"
#include "matrix/cuda/check.hpp"
#include "matrix/cuda/device.cuh"
#include "matrix/cuda/grid.hpp"

#include <algorithm>

namespace sptune::cuda {
namespace {

constexpr int kThreads = 256;

__global__ void __launch_bounds__(kThreads)
    count_bits(const unsigned* words, std::int64_t count, Sums* sums) {
    __shared__ count_t scratch[kThreads / kWarp];
    const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kThreads;
    count_t own = 0;
#pragma unroll 4
    for (std::int64_t i = global_thread(); i < count; i += step)
        own += static_cast<unsigned>(__popc(words[i]));
    own = block_sum<kThreads>(own, scratch);
    if (threadIdx.x == 0 && own) atomicAdd(&sums->diagonals, own);
}

__global__ void __launch_bounds__(kThreads)
    visit_diagonals(std::int64_t rows, std::int64_t cols,
                    const __grid_constant__ DeviceSample sample, SlotTable table, unsigned* listed,
                    Sums* sums) {
    __shared__ unsigned few[kShortRows];
    __shared__ count_t scratch[3][kThreads / kWarp];
    for (unsigned i = threadIdx.x; i < kShortRows; i += kThreads) few[i] = 0;
    __syncthreads();
    const SampleView view = sample.view();
    count_t dense = 0, on_dense = 0, on_any = 0;
    for (auto s = static_cast<unsigned>(global_thread()); s < table.size();
         s += gridDim.x * kThreads) {
        const Slot here = table.slots[s];
        if (here.key == 0) continue;
        const std::int64_t d = std::int64_t{here.key - 1} - (rows - 1);
        on_any += here.value;
        if (is_dense(here.value, d, rows, cols, view)) {
            ++dense;
            on_dense += here.value;
        }
        if (here.value < kShortRows)
            atomicAdd(&few[here.value], 1u);
        else
            listed[atomicAdd(&sums->diagonal_entries.listed, count_t{1})] = here.value;
    }
    dense = block_sum<kThreads>(dense, scratch[0]);
    on_dense = block_sum<kThreads>(on_dense, scratch[1]);
    on_any = block_sum<kThreads>(on_any, scratch[2]);
    if (threadIdx.x == 0 && on_any) {
        atomicAdd(&sums->dense_diagonals, dense);
        atomicAdd(&sums->on_dense, on_dense);
        atomicAdd(&sums->on_any, on_any);
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < kShortRows; i += kThreads)
        if (few[i]) atomicAdd(&sums->diagonal_entries.few[i], few[i]);
}

unsigned some_blocks(std::int64_t work) {
    return std::min(blocks_for(work, kThreads), static_cast<unsigned>(4 * multiprocessors()));
}

}  // namespace

void add_occupied(const unsigned* occupied, std::int64_t words, Sums* sums) {
    count_bits<<<some_blocks(words), kThreads>>>(occupied, words, sums);
    SPTUNE_CUDA_LAUNCHED("count_bits");
}

void add_sampled_diagonals(std::int64_t rows, std::int64_t cols, const SamplePlan& plan,
                           const GroupMemory& memory, unsigned* listed, Sums* sums) {
    const SlotTable table{memory.diagonals, memory.diagonals_log2};
    visit_diagonals<<<some_blocks(std::int64_t{1} << table.log2), kThreads>>>(
        rows, cols, DeviceSample(plan.rows, kBlockGroup), table, listed, sums);
    SPTUNE_CUDA_LAUNCHED("visit_diagonals");
}

}  // namespace sptune::cuda
