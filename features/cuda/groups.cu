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

constexpr int kThreads = 256;
/// Blocks of threads that share the diagonals and mirror images of a group: a single one would be
/// late with rows of many thousand entries.
constexpr int kParts = 4;
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

/// Which columns may be there, without asking the table: one bit for all that are equal modulo
/// 32 · kWords. Most neighbours of a scattered entry are not.
struct ColumnFilter {
    static constexpr unsigned kWords = 512;
    unsigned words[kWords];

    __device__ void add(unsigned column) {
        atomicOr(&words[column / 32 % kWords], 1u << column % 32);
    }
    /// Bit c: column begin + c may be there.
    __device__ unsigned from(unsigned begin) const {
        const unsigned low = words[begin / 32 % kWords], high = words[(begin / 32 + 1) % kWords];
        return __funnelshift_r(low, high, begin % 32);
    }
};

/// Counts the blocks of kBlockSides[W] columns whose first occupied column is this one.
template <std::size_t W, std::size_t... H>
__device__ void add_width(const SlotTable& columns, const ColumnFilter& filter, unsigned column,
                          unsigned rows, Counts& counts, std::index_sequence<H...>) {
    constexpr auto width = static_cast<unsigned>(kBlockSides[W]);
    const unsigned own = column % width, begin = column - own;
    const unsigned near = filter.from(begin) & ((1u << width) - 1);
    for (unsigned left = near & ((1u << own) - 1); left; left &= left - 1)
        if (columns.find(begin + static_cast<unsigned>(__ffs(static_cast<int>(left))) - 1)) return;
    for (unsigned right = near >> own >> 1; right; right &= right - 1)
        rows |= columns.find(column + static_cast<unsigned>(__ffs(static_cast<int>(right))));
    ((counts[W][H] += blocks_of<kBlockSides[H]>(rows)), ...);
}

template <std::size_t... W>
__device__ void add_column(const SlotTable& columns, const ColumnFilter& filter, unsigned column,
                           unsigned rows, Counts& counts, std::index_sequence<W...> sides) {
    (add_width<W>(columns, filter, column, rows, counts, sides), ...);
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

/// The rows of a group, as all threads of the block know them.
struct Group {
    const Numbering& stored;  ///< its row pointers
    std::int64_t first;
    int rows;

    __device__ std::int64_t begin() const { return stored.from[0]; }
    __device__ std::int64_t end() const { return stored.from[rows]; }
    __device__ std::int64_t entries() const { return end() - begin(); }
};

/// The table with at least twice as many places as the (one or more) keys that come.
__device__ SlotTable table_for(std::int64_t keys, Slot* slots) {
    return {slots, 64 - __clzll(2 * keys - 1)};
}

__device__ void clear(const SlotTable& table) {
    for (unsigned s = threadIdx.x; s < table.size(); s += kThreads) table.slots[s] = Slot{};
    __syncthreads();
}

/// Adds the occupied blocks, and the gaps between columns.
__device__ void visit_blocks(const index_t* col_idx, index_t cols, const Group& group,
                             std::int64_t entry_limit, bool sorted, Slot* own_slots,
                             const GroupMemory& memory, Sums* sums) {
    __shared__ Numbering looked_at;
    __shared__ std::int64_t first_kept[kRows];  // where the entries that are looked at begin
    __shared__ unsigned kept[kRows], least[kRows], most[kRows];
    __shared__ unsigned blocks[kSides * kSides];
    __shared__ ColumnFilter filter;
    __shared__ count_t offset;
    const int lane = threadIdx.x % kWarp;
    const std::int64_t entries = group.entries();
    const bool thin = entries > entry_limit;
    ColumnStrip strip{0, cols};
    if (thin) strip = strip_of_group(group.first, entries, entry_limit, cols);

    // What is looked at: of sorted rows a piece each, of others those of all entries that lie in
    // the strip.
    if (threadIdx.x < kSides * kSides) blocks[threadIdx.x] = 0;
    for (unsigned w = threadIdx.x; w < ColumnFilter::kWords; w += kThreads) filter.words[w] = 0;
    if (threadIdx.x < kRows) {
        kept[threadIdx.x] = most[threadIdx.x] = 0;
        least[threadIdx.x] = kFullMask;
    }
    __syncthreads();
    if (!sorted)
        for (std::int64_t k = group.begin() + threadIdx.x; k < group.end(); k += kThreads) {
            const index_t c = col_idx[k];
            if (c < strip.low || c >= strip.high) continue;
            const int r = group.stored.row(k, group.rows);
            atomicAdd(&kept[r], 1u);
            atomicMin(&least[r], static_cast<unsigned>(c));
            atomicMax(&most[r], static_cast<unsigned>(c));
        }
    __syncthreads();
    if (threadIdx.x < kWarp) {
        std::int64_t from = 0, to = 0, size = 0;
        double gap = 0;
        if (lane < group.rows) {
            from = group.stored.from[lane];
            to = group.stored.from[lane + 1];
            if (sorted && thin) {
                from = first_not_below(col_idx, from, to, strip.low);
                to = first_not_below(col_idx, from, to, strip.high);
            }
            first_kept[lane] = from;
            size = sorted ? to - from : kept[lane];
            if (size >= 2) {
                const index_t low = sorted ? col_idx[from] : static_cast<index_t>(least[lane]);
                const index_t high = sorted ? col_idx[to - 1] : static_cast<index_t>(most[lane]);
                gap = static_cast<double>(high - low) / static_cast<double>(size - 1);
            }
        }
        looked_at.assign(to - from);
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
    const std::int64_t in_strip = kept[0], visited = looked_at.from[group.rows];
    if (in_strip == 0) return;

    SlotTable table = table_for(in_strip, own_slots);
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
    clear(table);
    for (std::int64_t n = threadIdx.x; n < visited; n += kThreads) {
        const int r = looked_at.row(n, group.rows);
        const index_t c = col_idx[first_kept[r] + n - looked_at.from[r]];
        if (c < strip.low || c >= strip.high) continue;
        filter.add(static_cast<unsigned>(c));
        if (unsigned* const met = table.find_or_add(static_cast<unsigned>(c)))
            atomicOr(met, 1u << r);
        else
            sums->overflow = 1;
    }
    __syncthreads();
    constexpr auto sides = std::make_index_sequence<kSides>{};
    Counts counts{};
    for (unsigned s = threadIdx.x; s < table.size(); s += kThreads) {
        const Slot here = table.slots[s];
        if (here.key) add_column(table, filter, here.key - 1, here.value, counts, sides);
    }
#pragma unroll
    for (int w = 0; w < kSides; ++w)
#pragma unroll
        for (int h = 0; h < kSides; ++h) {
            const unsigned sum = __reduce_add_sync(kFullMask, counts[w][h]);
            if (lane == 0) atomicAdd(&blocks[w * kSides + h], sum);
        }
    __syncthreads();
    if (threadIdx.x < kSides * kSides)
        atomicAdd(&sums->blocks[0][0] + threadIdx.x, static_cast<double>(entries) /
                                                         static_cast<double>(in_strip) *
                                                         static_cast<double>(blocks[threadIdx.x]));
    if (threadIdx.x == 0) atomicAdd(&sums->block_entries, static_cast<double>(entries));
}

/// Adds a part of the entries to their diagonals.
__device__ void visit_diagonals(const index_t* col_idx, index_t rows, const Group& group, int part,
                                Slot* own_slots, const GroupMemory& memory, Sums* sums) {
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
        for (std::int64_t n = from + threadIdx.x; n < to; n += kThreads) {
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
        for (unsigned s = threadIdx.x; s < table.size(); s += kThreads) {
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

/// Looks for the mirror images of a part of the entries.
template <class T, class P>
__device__ void visit_mirrors(CsrView<T, P> a, const Group& group, const DeviceSample& sample,
                              std::int64_t work, bool sorted, int part, Sums* sums) {
    __shared__ count_t sampled;
    __shared__ unsigned found[3];
    if (threadIdx.x == 0) sampled = 0;
    if (threadIdx.x < 3) found[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x < sample.count) {
        const RowWindow w = sample.windows[threadIdx.x];
        atomicAdd(&sampled, static_cast<count_t>(a.row_ptr[w.last] - a.row_ptr[w.first]));
    }
    __syncthreads();
    const std::int64_t stride = mirror_stride(static_cast<std::int64_t>(sampled), work);
    unsigned looked = 0, present = 0, equal = 0;
    const int width = sorted ? 1 : kWarp;  // threads for an entry
    const int place = static_cast<int>(threadIdx.x) / width, places = kThreads / width;
    for (std::int64_t k = group.begin() + (part * places + place) * stride; k < group.end();
         k += kParts * places * stride) {
        const auto row = static_cast<index_t>(group.first + group.stored.row(k, group.rows));
        const index_t column = a.col_idx[k];
        if (row == column) continue;
        const std::int64_t mirror = sorted ? mirror_of(a.row_ptr, a.col_idx, row, column)
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
    if (threadIdx.x % kWarp == 0 && looked) {
        atomicAdd(&found[0], looked);
        atomicAdd(&found[1], present);
        atomicAdd(&found[2], equal);
    }
    __syncthreads();
    if (threadIdx.x > 0 || found[0] == 0) return;
    atomicAdd(&sums->mirror_entries, count_t{found[0]});
    atomicAdd(&sums->mirrors_present, count_t{found[1]});
    atomicAdd(&sums->mirrors_equal, count_t{found[2]});
}

/// 1 + kParts blocks of threads for each group.
template <class T, class P>
__global__ void __launch_bounds__(kThreads, 3)
    visit_groups(CsrView<T, P> a, const __grid_constant__ DeviceSample sample, std::int64_t work,
                 std::int64_t entry_limit, GroupMemory memory, bool sorted, Sums* sums) {
    __shared__ Slot own_slots[1 << kOwnLog2];
    __shared__ Numbering stored;
    const RowWindow window = sample.unit_at(blockIdx.x);
    const Group group{stored, window.first, static_cast<int>(window.last - window.first)};
    if (static_cast<int>(threadIdx.x) <= group.rows)
        stored.from[threadIdx.x] = a.row_ptr[group.first + threadIdx.x];
    __syncthreads();
    if (group.entries() == 0) return;
    const int part = static_cast<int>(blockIdx.y) - 1;
    if (part < 0)
        return visit_blocks(a.col_idx, a.cols, group, entry_limit, sorted, own_slots, memory, sums);
    visit_diagonals(a.col_idx, a.rows, group, part, own_slots, memory, sums);
    if (a.rows == a.cols) visit_mirrors(a, group, sample, work, sorted, part, sums);
}

}  // namespace

int diagonals_log2(const SamplePlan& plan) {
    return std::bit_width(static_cast<std::uint64_t>(4 * plan.work));
}

std::uint64_t spare_slots(const SamplePlan& plan) {
    return static_cast<std::uint64_t>(16 * plan.work) + (4u << kOwnLog2);
}

template <class T, class P>
void add_groups(CsrView<T, P> a, const SamplePlan& plan, const GroupMemory& memory, bool sorted,
                cudaStream_t stream, Sums* sums) {
    const DeviceSample sample(plan.rows, kBlockGroup);
    visit_groups<<<dim3(static_cast<unsigned>(sample.all_units()), 1 + kParts), kThreads, 0,
                   stream>>>(a, sample, plan.work, plan.entry_limit, memory, sorted, sums);
    SPTUNE_CUDA_LAUNCHED("visit_groups");
}

#define SPTUNE_INSTANTIATE_GROUPS(T, P)                                                  \
    template void add_groups(CsrView<T, P>, const SamplePlan&, const GroupMemory&, bool, \
                             cudaStream_t, Sums*);
SPTUNE_INSTANTIATE_GROUPS(float, std::int32_t)
SPTUNE_INSTANTIATE_GROUPS(float, std::int64_t)
SPTUNE_INSTANTIATE_GROUPS(double, std::int32_t)
SPTUNE_INSTANTIATE_GROUPS(double, std::int64_t)

}  // namespace sptune::cuda
