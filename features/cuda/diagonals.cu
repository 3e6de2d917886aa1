#include "features/blocks.hpp"
#include "features/cuda/diagonals.hpp"
#include "features/cuda/sample.hpp"
#include "features/cuda/slots.cuh"
#include "features/diagonals.hpp"
#include "matrix/cuda/device.cuh"
#include "matrix/cuda/launch.hpp"

#include <algorithm>

namespace sptune::cuda {
namespace {

constexpr int kThreads = 256;

__global__ void __launch_bounds__(kThreads)
    visit_diagonals(unsigned* occupied, std::int64_t rows, std::int64_t cols,
                    const __grid_constant__ DeviceSample sample, SlotTable table, Listed listed,
                    Sums* sums, HostCopy copy) {
    __shared__ unsigned few[kShortRows];
    __shared__ count_t scratch[4][kThreads / kWarp];
    wait_for_previous();
    for (unsigned i = threadIdx.x; i < kShortRows; i += kThreads) few[i] = 0;
    __syncthreads();
    const SampleView view = sample.view();
    const bool clear = !sums->unsorted;
    count_t marked = 0, dense = 0, on_dense = 0, on_any = 0;
    const std::int64_t words = occupied_words(rows, cols);
    const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kThreads;
#pragma unroll 4
    for (std::int64_t i = global_thread(); i < words; i += step) {
        const unsigned word = occupied[i];
        marked += static_cast<unsigned>(__popc(word));
        if (word && clear) occupied[i] = 0;
    }
#pragma unroll 2
    for (std::int64_t s = global_thread(); s < table.size(); s += step) {
        const Slot here = table.slots[s];
        if (here.key == 0) continue;
        if (clear) table.slots[s] = Slot{};
        const std::int64_t d = std::int64_t{here.key - 1} - (rows - 1);
        on_any += here.value;
        if (is_dense(here.value, d, rows, cols, view)) {
            ++dense;
            on_dense += here.value;
        }
        if (here.value < kShortRows) {
            atomicAdd(&few[here.value], 1u);
        } else {
            const count_t n = atomicAdd(&sums->diagonal_entries.listed, count_t{1});
            (n < listed.count ? listed.first : listed.later)[n] = here.value;
        }
    }
    marked = block_sum<kThreads>(marked, scratch[0]);
    dense = block_sum<kThreads>(dense, scratch[1]);
    on_dense = block_sum<kThreads>(on_dense, scratch[2]);
    on_any = block_sum<kThreads>(on_any, scratch[3]);
    if (threadIdx.x == 0) {
        atomicAdd(&sums->diagonals, marked);
        atomicAdd(&sums->dense_diagonals, dense);
        atomicAdd(&sums->on_dense, on_dense);
        atomicAdd(&sums->on_any, on_any);
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < kShortRows; i += kThreads)
        if (few[i]) atomicAdd(&sums->diagonal_entries.few[i], few[i]);

    // The block that ends last sees what all have added.
    __threadfence();
    __shared__ bool last;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(&sums->blocks_done, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    for (unsigned i = threadIdx.x; i < copy.count; i += kThreads) {
        copy.to[i] = __ldcg(copy.from + i);
        if (clear) copy.from[i] = uint4{0, 0, 0, 0};
    }
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x > 0) return;
    __threadfence_system();
    *static_cast<volatile unsigned*>(copy.done) = copy.ticket;
}

}  // namespace

void add_diagonals(unsigned* occupied, std::int64_t rows, std::int64_t cols, const SamplePlan& plan,
                   const GroupMemory& memory, Listed listed, Sums* sums, HostCopy copy) {
    const SlotTable table{memory.diagonals, memory.diagonals_log2};
    const std::int64_t work = std::max(occupied_words(rows, cols), std::int64_t{1} << table.log2);
    const unsigned blocks =
        std::min(blocks_for(work, kThreads), static_cast<unsigned>(8 * multiprocessors()));
    launch_early(visit_diagonals, blocks, kThreads, nullptr, occupied, rows, cols,
                 DeviceSample(plan.rows, kBlockGroup), table, listed, sums, copy);
}

}  // namespace sptune::cuda
