#include "features/cuda/group_blocks.cuh"
#include "features/cuda/group_gaps.cuh"
#include "features/cuda/group_mirrors.cuh"
#include "features/cuda/groups.hpp"
#include "features/diagonals.hpp"
#include "matrix/cuda/check.hpp"
#include "matrix/cuda/grid.hpp"

#include <algorithm>

namespace sptune::cuda {
namespace {

using namespace groups;

/// Adds a part of the entries to their diagonals.
__device__ inline void visit_diagonals(const index_t* col_idx, index_t rows, const Group& group,
                                       int part, Slot* own_slots, const GroupMemory& memory,
                                       Sums* sums) {
    __shared__ Numbering thinned;
    if (threadIdx.x < kWarp) {
        std::int64_t count = 0;
        if (static_cast<int>(threadIdx.x) < group.rows) {
            const std::int64_t length =
                group.stored.from[threadIdx.x + 1] - group.stored.from[threadIdx.x];
            const std::int64_t stride = diagonal_stride(length, kDiagonalRow);
            count = (length + stride - 1) / stride;
        }
        thinned.assign(count);
    }
    __syncthreads();
    constexpr std::int64_t kChunk = 1 << (kOwnLog2 - 1);
    const std::int64_t all = thinned.from[group.rows];
    for (std::int64_t from = part * kChunk; from < all; from += kParts * kChunk) {
        const std::int64_t to = min(all, from + kChunk);
        const SlotTable table = table_for(to - from, own_slots);
        clear(table);
        for (std::int64_t n = from + threadIdx.x; n < to; n += threads()) {
            const int r = thinned.row(n, group.rows);
            const std::int64_t begin = group.stored.from[r],
                               length = group.stored.from[r + 1] - begin;
            const std::int64_t stride = diagonal_stride(length, kDiagonalRow);
            const index_t c = col_idx[begin + (n - thinned.from[r]) * stride];
            const std::int64_t diagonal = c - (group.first + r) + rows - 1;
            if (unsigned* const met = table.find_or_add(static_cast<unsigned>(diagonal)))
                atomicAdd(met, static_cast<unsigned>(stride));
            else
                sums->overflow = 1;
        }
        __syncthreads();
        const SlotTable found{memory.diagonals, memory.diagonals_log2};
        for (unsigned s = threadIdx.x; s < table.size(); s += threads()) {
            const Slot here = table.slots[s];
            if (here.key == 0) continue;
            if (unsigned* const met = found.find_or_add(here.key - 1))
                atomicAdd(met, here.value);
            else
                sums->overflow = 1;
        }
        __syncthreads();
    }
}

/// So many blocks of threads for each tile, and for each group: `strip_parts` + kParts.
template <int Threads, class T, class P>
__global__ void __launch_bounds__(Threads, Threads == kThreads ? 3 : 1)
    visit_groups(CsrView<T, P> a, const __grid_constant__ DeviceSample sample,
                 const __grid_constant__ TileSample tiles, std::int64_t work, int strip_parts,
                 GroupMemory memory, bool sorted, Sums* sums) {
    __shared__ Slot own_slots[1 << kOwnLog2];
    __shared__ Numbering stored;
    let_next_begin();
    const int part = static_cast<int>(blockIdx.y) - strip_parts;
    const bool in_sample = blockIdx.x < sample.all_units();
    Tile tile;
    RowWindow window;
    if (part < 0) {
        if (blockIdx.y == 0 && in_sample)
            visit_gaps(a.row_ptr, a.col_idx, sample.unit_at(blockIdx.x), sorted, sums);
        if (blockIdx.x >= tiles.count) return;
        tile = tile_of(a, tiles, blockIdx.x, sorted);
        if (tile.draws == 0) return;
        window = tile.rows;
    } else {
        if (!in_sample) return;
        window = sample.unit_at(blockIdx.x);
    }
    const Group group{stored, window.first, static_cast<int>(window.last - window.first)};
    if (static_cast<int>(threadIdx.x) <= group.rows)
        stored.from[threadIdx.x] = a.row_ptr[group.first + threadIdx.x];
    __syncthreads();
    if (group.entries() == 0) return;
    if (part < 0)
        return visit_blocks(a.col_idx, a.cols, group, tile, tiles.entry_limit, sorted,
                            part + strip_parts, strip_parts, own_slots, memory, sums);
    visit_diagonals(a.col_idx, a.rows, group, part, own_slots, memory, sums);
    if (a.rows == a.cols) visit_mirrors(a, group, sample, work, sorted, part, sums);
}

}  // namespace

template <class T, class P>
void add_groups(CsrView<T, P> a, const SamplePlan& plan, const GroupMemory& memory, bool sorted,
                Sums* sums) {
    constexpr std::int64_t kManyEntries = 2048;  // of a group
    const DeviceSample sample(plan.rows, kBlockGroup);
    // Of a small sample no block has to share its multiprocessor.
    const std::int64_t places = std::max(sample.all_units(), plan.tiles.count);
    const bool alone = places * (1 + kParts) <= multiprocessors();
    const bool many = alone || a.nnz() / a.rows * kBlockGroup > kManyEntries;
    const auto kernel = many ? visit_groups<kManyThreads, T, P> : visit_groups<kThreads, T, P>;
    const auto strip_parts =
        many ? static_cast<int>(std::min<std::int64_t>(strips_of(a.cols), kStripParts)) : 1;
    kernel<<<dim3(static_cast<unsigned>(places), static_cast<unsigned>(strip_parts + kParts)),
             many ? kManyThreads : kThreads>>>(a, sample, plan.tiles, plan.work, strip_parts,
                                               memory, sorted, sums);
    SPTUNE_CUDA_LAUNCHED("visit_groups");
}

template void add_groups(CsrView<SPTUNE_VALUE, SPTUNE_POINTER>, const SamplePlan&,
                         const GroupMemory&, bool, Sums*);

}  // namespace sptune::cuda
