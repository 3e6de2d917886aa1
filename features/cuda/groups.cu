#include "features/blocks.hpp"
#include "features/cuda/groups.hpp"
#include "features/cuda/sample.hpp"
#include "features/cuda/slots.cuh"
#include "features/diagonals.hpp"
#include "matrix/cuda/check.hpp"
#include "matrix/cuda/device.cuh"

#include <bit>
#include <utility>

namespace sptune::cuda {
namespace {

constexpr int kThreads = 512;
constexpr int kRows = static_cast<int>(kBlockGroup);
constexpr int kOwnLog2 = 12;  // table in shared memory: 32 KiB

/// Numbers the entries of up to kRows rows from 0, in order: of row r those from[r] on.
struct Numbering {
    std::int64_t from[kRows + 1];

    /// The row of entry `n`: the last one that begins there or before.
    __device__ int row(std::int64_t n, int rows) const {
        int low = 0, high = rows - 1;
        while (low < high) {
            const int middle = (low + high + 1) / 2;
            if (from[middle] <= n)
                low = middle;
            else
                high = middle - 1;
        }
        return low;
    }
    /// From the number that each lane of the first warp has of its row; 0 beyond the rows.
    __device__ void assign(std::int64_t count) {
        const int lane = threadIdx.x % kWarp;
        std::int64_t sum = count;
        for (int offset = 1; offset < kWarp; offset *= 2) {
            const std::int64_t left = __shfl_up_sync(kFullMask, sum, offset);
            if (lane >= offset) sum += left;
        }
        if (lane <= kRows) from[lane] = sum - count;
    }
};

/// Place of the first column not below `column` in the sorted ones of [begin, end).
template <class P>
__device__ P first_not_below(const index_t* col_idx, P begin, P end, std::int64_t column) {
    while (begin < end) {
        const P middle = begin + (end - begin) / 2;
        if (col_idx[middle] < column)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

/// How many blocks of `Height` rows a column with these rows touches.
template <int Height>
__device__ unsigned blocks_of(unsigned rows) {
    constexpr unsigned firsts = [] {
        unsigned bits = 0;
        for (int r = 0; r < kRows; r += Height) bits |= 1u << r;
        return bits;
    }();
    unsigned any = rows;
#pragma unroll
    for (int r = 1; r < Height; ++r) any |= rows >> r;
    return static_cast<unsigned>(__popc(any & firsts));
}

using Counts = unsigned[kSides][kSides];

/// Counts the blocks of kBlockSides[W] columns whose first occupied column is this one.
template <std::size_t W, std::size_t... H>
__device__ void add_width(const SlotTable& columns, unsigned column, unsigned rows, Counts& counts,
                          std::index_sequence<H...>) {
    constexpr auto width = static_cast<unsigned>(kBlockSides[W]);
    const unsigned begin = column - column % width;
    for (unsigned c = begin; c < column; ++c)
        if (columns.find(c)) return;
    for (unsigned c = column + 1; c < begin + width; ++c) rows |= columns.find(c);
    ((counts[W][H] += blocks_of<kBlockSides[H]>(rows)), ...);
}

template <std::size_t... W>
__device__ void add_column(const SlotTable& columns, unsigned column, unsigned rows, Counts& counts,
                           std::index_sequence<W...> sides) {
    (add_width<W>(columns, column, rows, counts, sides), ...);
}

/// The mirror image of (row, column) at k, as std::find or a search by halving would find it: the
/// first one. -1: none. All lanes of the warp take part if rows are not sorted.
template <class P>
__device__ std::int64_t mirror_of(const P* row_ptr, const index_t* col_idx, index_t row,
                                  index_t column) {
    const P begin = row_ptr[column], end = row_ptr[column + 1];
    const P found = first_not_below(col_idx, begin, end, row);
    return found < end && col_idx[found] == row ? static_cast<std::int64_t>(found) : -1;
}
template <class P>
__device__ std::int64_t unsorted_mirror_of(const P* row_ptr, const index_t* col_idx, index_t row,
                                           index_t column) {
    const P end = row_ptr[column + 1];
    for (P k = row_ptr[column]; k < end; k += kWarp) {
        const P own = k + static_cast<P>(threadIdx.x % kWarp);
        const unsigned here = __ballot_sync(kFullMask, own < end && col_idx[own] == row);
        if (here) return k + __ffs(static_cast<int>(here)) - 1;
    }
    return -1;
}

/// One block of threads for each group.
template <class T, class P>
__global__ void __launch_bounds__(kThreads)
    visit_groups(CsrView<T, P> a, const __grid_constant__ DeviceSample sample, std::int64_t work,
                 std::int64_t entry_limit, GroupMemory memory, Sums* sums) {
    __shared__ Slot own_slots[1 << kOwnLog2];
    __shared__ Numbering stored, looked_at, thinned;
    __shared__ std::int64_t first_kept[kRows];  // where the entries that are looked at begin
    __shared__ unsigned kept[kRows], least[kRows], most[kRows];
    __shared__ count_t sampled, offset;
    __shared__ unsigned blocks[kSides * kSides], mirrors[3];
    const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
    const RowWindow group = sample.unit_at(blockIdx.x);
    const std::int64_t first = group.first;
    const int rows = static_cast<int>(group.last - first);

    if (threadIdx.x <= rows) stored.from[threadIdx.x] = a.row_ptr[first + threadIdx.x];
    if (threadIdx.x < kRows) {
        kept[threadIdx.x] = most[threadIdx.x] = 0;
        least[threadIdx.x] = kFullMask;
    }
    if (threadIdx.x < kSides * kSides) blocks[threadIdx.x] = 0;
    if (threadIdx.x < 3) mirrors[threadIdx.x] = 0;
    if (threadIdx.x == 0) sampled = 0;
    __syncthreads();
    if (threadIdx.x < sample.count) {
        const RowWindow w = sample.windows[threadIdx.x];
        atomicAdd(&sampled, static_cast<count_t>(a.row_ptr[w.last] - a.row_ptr[w.first]));
    }
    const std::int64_t begin = stored.from[0], end = stored.from[rows], entries = end - begin;
    if (entries == 0) return;
    const bool sorted = !sums->unsorted, thin = entries > entry_limit;
    ColumnStrip strip{0, a.cols};
    if (thin) strip = strip_of_group(first, entries, entry_limit, a.cols);

    // What is looked at: of sorted rows a piece each, of others those of all entries that lie in
    // the strip.
    if (!sorted)
        for (std::int64_t k = begin + threadIdx.x; k < end; k += kThreads) {
            const index_t c = a.col_idx[k];
            if (c < strip.low || c >= strip.high) continue;
            const int r = stored.row(k, rows);
            atomicAdd(&kept[r], 1u);
            atomicMin(&least[r], static_cast<unsigned>(c));
            atomicMax(&most[r], static_cast<unsigned>(c));
        }
    __syncthreads();
    if (warp == 0) {
        std::int64_t length = 0, size = 0, diagonals = 0;
        double gap = 0;
        if (lane < rows) {
            std::int64_t from = stored.from[lane], to = stored.from[lane + 1];
            length = to - from;
            diagonals = (length + diagonal_stride(length, kDiagonalRow) - 1) /
                        diagonal_stride(length, kDiagonalRow);
            if (sorted && thin) {
                from = first_not_below(a.col_idx, from, to, strip.low);
                to = first_not_below(a.col_idx, from, to, strip.high);
            }
            first_kept[lane] = from;
            size = sorted ? to - from : kept[lane];
            length = to - from;
            if (size >= 2) {
                const index_t low = sorted ? a.col_idx[from] : static_cast<index_t>(least[lane]);
                const index_t high = sorted ? a.col_idx[to - 1] : static_cast<index_t>(most[lane]);
                gap = static_cast<double>(high - low) / static_cast<double>(size - 1);
            }
        }
        looked_at.assign(length);
        thinned.assign(diagonals);
        gap = group_sum<kWarp>(gap);
        const int gaps = __popc(__ballot_sync(kFullMask, size >= 2));
        size = group_sum<kWarp>(size);
        if (lane == 0) {
            kept[0] = static_cast<unsigned>(size);
            if (gaps) {
                atomicAdd(&sums->gaps, gap);
                atomicAdd(&sums->gap_rows, static_cast<double>(gaps));
            }
        }
    }
    __syncthreads();

    // A table for all of these, and then for the diagonals.
    const std::int64_t in_strip = kept[0], visited = looked_at.from[rows];
    const std::int64_t on_diagonals = thinned.from[rows];
    const std::int64_t wanted = max(in_strip, on_diagonals);  // at least one
    SlotTable table{own_slots, 64 - __clzll(2 * wanted - 1)};
    if (table.log2 > kOwnLog2) {
        const count_t size = count_t{1} << table.log2;
        if (threadIdx.x == 0) offset = atomicAdd(&sums->slots_taken, size);
        __syncthreads();
        if (table.log2 > 31 || offset + size > memory.spare_slots) {
            if (threadIdx.x == 0) sums->overflow = 1;
            return;
        }
        table.slots = memory.spare + offset;
    }
    const auto clear = [&] {
        for (unsigned s = threadIdx.x; s < table.size(); s += kThreads) table.slots[s] = Slot{};
        __syncthreads();
    };
    bool full = false;

    clear();
    for (std::int64_t n = threadIdx.x; n < visited; n += kThreads) {
        const int r = looked_at.row(n, rows);
        const index_t c = a.col_idx[first_kept[r] + n - looked_at.from[r]];
        if (c < strip.low || c >= strip.high) continue;
        if (unsigned* const met = table.find_or_add(static_cast<unsigned>(c)))
            atomicOr(met, 1u << r);
        else
            full = true;
    }
    __syncthreads();
    constexpr auto sides = std::make_index_sequence<kSides>{};
    Counts counts{};
    for (unsigned s = threadIdx.x; s < table.size(); s += kThreads) {
        const Slot here = table.slots[s];
        if (here.key) add_column(table, here.key - 1, here.value, counts, sides);
    }
#pragma unroll
    for (int w = 0; w < kSides; ++w)
#pragma unroll
        for (int h = 0; h < kSides; ++h) {
            const unsigned sum = __reduce_add_sync(kFullMask, counts[w][h]);
            if (lane == 0) atomicAdd(&blocks[w * kSides + h], sum);
        }

    if (a.rows == a.cols) {
        const std::int64_t stride = mirror_stride(static_cast<std::int64_t>(sampled), work);
        unsigned looked = 0, present = 0, equal = 0;
        const int width = sorted ? 1 : kWarp;  // threads for an entry
        for (std::int64_t k = begin + threadIdx.x / width * stride; k < end;
             k += kThreads / width * stride) {
            const auto row = static_cast<index_t>(first + stored.row(k, rows));
            const index_t column = a.col_idx[k];
            if (row == column) continue;
            const std::int64_t mirror = sorted
                                            ? mirror_of(a.row_ptr, a.col_idx, row, column)
                                            : unsorted_mirror_of(a.row_ptr, a.col_idx, row, column);
            if (threadIdx.x % width) continue;
            ++looked;
            if (mirror < 0) continue;
            ++present;
            equal += a.values[mirror] == a.values[k];
        }
        looked = __reduce_add_sync(kFullMask, looked);
        present = __reduce_add_sync(kFullMask, present);
        equal = __reduce_add_sync(kFullMask, equal);
        if (lane == 0) {
            atomicAdd(&mirrors[0], looked);
            atomicAdd(&mirrors[1], present);
            atomicAdd(&mirrors[2], equal);
        }
    }
    __syncthreads();

    clear();
    for (std::int64_t n = threadIdx.x; n < on_diagonals; n += kThreads) {
        const int r = thinned.row(n, rows);
        const std::int64_t length = stored.from[r + 1] - stored.from[r];
        const std::int64_t stride = diagonal_stride(length, kDiagonalRow);
        const index_t c = a.col_idx[stored.from[r] + (n - thinned.from[r]) * stride];
        const std::int64_t diagonal = c - (first + r) + a.rows - 1;
        if (unsigned* const met = table.find_or_add(static_cast<unsigned>(diagonal)))
            atomicAdd(met, static_cast<unsigned>(stride));
        else
            full = true;
    }
    __syncthreads();
    const SlotTable all{memory.diagonals, memory.diagonals_log2};
    for (unsigned s = threadIdx.x; s < table.size(); s += kThreads) {
        const Slot here = table.slots[s];
        if (here.key == 0) continue;
        if (unsigned* const met = all.find_or_add(here.key - 1))
            atomicAdd(met, here.value);
        else
            full = true;
    }

    if (full) sums->overflow = 1;
    if (threadIdx.x < kSides * kSides && in_strip > 0)
        atomicAdd(&sums->blocks[0][0] + threadIdx.x, static_cast<double>(entries) /
                                                         static_cast<double>(in_strip) *
                                                         static_cast<double>(blocks[threadIdx.x]));
    if (threadIdx.x > 0) return;
    if (in_strip > 0) atomicAdd(&sums->block_entries, static_cast<double>(entries));
    atomicAdd(&sums->mirror_entries, count_t{mirrors[0]});
    atomicAdd(&sums->mirrors_present, count_t{mirrors[1]});
    atomicAdd(&sums->mirrors_equal, count_t{mirrors[2]});
}

}  // namespace

int diagonals_log2(const SamplePlan& plan) {
    return std::bit_width(static_cast<std::uint64_t>(8 * plan.work));
}

std::uint64_t spare_slots(const SamplePlan& plan) {
    return static_cast<std::uint64_t>(16 * plan.work) + (4u << kOwnLog2);
}

template <class T, class P>
void add_groups(CsrView<T, P> a, const SamplePlan& plan, const GroupMemory& memory, Sums* sums) {
    const DeviceSample sample(plan.rows, kBlockGroup);
    visit_groups<<<static_cast<unsigned>(sample.all_units()), kThreads>>>(
        a, sample, plan.work, plan.entry_limit, memory, sums);
    SPTUNE_CUDA_LAUNCHED("visit_groups");
}

template void add_groups(CsrView<float, std::int32_t>, const SamplePlan&, const GroupMemory&,
                         Sums*);
template void add_groups(CsrView<float, std::int64_t>, const SamplePlan&, const GroupMemory&,
                         Sums*);
template void add_groups(CsrView<double, std::int32_t>, const SamplePlan&, const GroupMemory&,
                         Sums*);
template void add_groups(CsrView<double, std::int64_t>, const SamplePlan&, const GroupMemory&,
                         Sums*);

}  // namespace sptune::cuda
