// What SELL-C-σ would pad, on sampled blocks of rows.
#pragma once

#include "features/cuda/sums.hpp"
#include "features/sample_plan.hpp"
#include "features/sell_padding.hpp"
#include "matrix/cuda/device.cuh"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace sptune::cuda::sell {

constexpr int kThreads = 256;
constexpr int kWords = static_cast<int>(kSellBlock) / kWarp;

/// The probes with σ ≠ n: slices of C rows; windows of σ rows, or of C where nothing is sorted. A
/// warp takes 32 windows of a probe at a time: that is a task.
struct Probes {
    int count = 0;
    int c[kMostSellProbes], window[kMostSellProbes], place[kMostSellProbes];
    int first_task[kMostSellProbes + 1] = {};

    explicit Probes(std::int64_t block_rows) : c{}, window{}, place{} {
        for (std::size_t p = 0; p < sell_probes().size(); ++p)
            if (const SellProbe& probe = sell_probes()[p]; probe.sigma != 0)
                add(probe, static_cast<int>(p), block_rows);
    }

  private:
    void add(SellProbe probe, int at, std::int64_t block_rows) {
        c[count] = probe.c;
        window[count] = probe.sigma == 1 ? probe.c : probe.sigma;
        place[count] = at;
        const std::int64_t rows = std::int64_t{kWarp} * window[count];
        first_task[count + 1] =
            first_task[count] + static_cast<int>((block_rows + rows - 1) / rows);
        ++count;
    }
};

/// The rounded lengths are 1, 2 … 16, 18 … 32, 36 … 64 and so on.
constexpr std::int64_t length_of_code(int code) {
    return code < 16 ? code + 1 : std::int64_t{9 + code % 8} << (code / 8 - 1);
}

/// How many there are up to the first one that no row of a matrix with `nnz` entries can have.
inline unsigned lengths_up_to(std::int64_t nnz) {
    const std::int64_t longest =
        std::min<std::int64_t>(nnz + nnz / 8, std::numeric_limits<index_t>::max());
    int codes = 1;
    while (length_of_code(codes) <= longest) ++codes;
    return static_cast<unsigned>(codes);
}

/// Marks the rows of a block that have at least t entries, and counts those ahead of any place.
struct Marks {
    unsigned word[kWords];
    int before[kWords + 1];

    __device__ int ahead_of(int row) const {
        const unsigned in_word = row % kWarp ? word[row / kWarp] << (kWarp - row % kWarp) : 0;
        return before[row / kWarp] + __popc(in_word);
    }
};

/// One block of kThreads for each block of rows and rounded length t, of which most leave at once:
/// only as many t need a look as there are different lengths. As features/sell_padding.cpp:
///     stored = C · Σ over windows and t ≥ 1 of ⌈N / C⌉, N the rows of a window with t or more.
template <class P>
__device__ void visit_lengths(const P* row_ptr, const RowWindow& block, int code,
                              const Probes& probes, Sums* sums) {
    __shared__ Marks marks;
    __shared__ index_t below;  // the largest length below t
    __shared__ int slices[kMostSellProbes];
    const int rows = static_cast<int>(block.last - block.first);
    const auto t = static_cast<index_t>(length_of_code(code));
    const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
    if (threadIdx.x == 0) below = 0;
    if (threadIdx.x < kMostSellProbes) slices[threadIdx.x] = 0;
    __syncthreads();
    bool met = false;
    index_t smaller = 0;
    std::int64_t entries = 0;
#pragma unroll
    for (int first = 0; first < static_cast<int>(kSellBlock); first += kThreads) {
        const int i = first + static_cast<int>(threadIdx.x);
        index_t length = 0;
        if (i < rows) {
            const P* const at = row_ptr + block.first + i;
            length = static_cast<index_t>(at[1] - at[0]);
        }
        length = rounded_length(length, kWarp - __clz(length));
        entries += length;
        met |= length == t;
        if (length < t) smaller = max(smaller, length);
        const unsigned word = __ballot_sync(kFullMask, length >= t);
        if (lane == 0) marks.word[i / kWarp] = word;
    }
    if (code == 0) {
        entries = group_sum<kWarp>(entries);
        if (lane == 0) atomicAdd(&sums->sell_entries, static_cast<count_t>(entries));
    }
    smaller = __reduce_max_sync(kFullMask, smaller);
    if (lane == 0) atomicMax(&below, smaller);
    if (!__syncthreads_or(met)) return;

    if (warp == 0) {
        // Each lane counts the words of its own part.
        constexpr int each = kWords / kWarp;
        int own = 0;
        for (int j = 0; j < each; ++j) own += __popc(marks.word[lane * each + j]);
        int sum = own;
        for (int step = 1; step < kWarp; step *= 2) {
            const int left = __shfl_up_sync(kFullMask, sum, step);
            if (lane >= step) sum += left;
        }
        int before = sum - own;
        for (int j = 0; j < each; ++j) {
            marks.before[lane * each + j] = before;
            before += __popc(marks.word[lane * each + j]);
        }
        if (lane == kWarp - 1) marks.before[kWords] = before;
    }
    __syncthreads();
    const auto weight = static_cast<std::int64_t>(t - below);
    const int tasks = probes.first_task[probes.count];
    for (int task = warp, p = 0; task < tasks; task += kThreads / kWarp) {
        while (task >= probes.first_task[p + 1]) ++p;
        const int c = probes.c[p], window = probes.window[p];
        const int first = ((task - probes.first_task[p]) * kWarp + lane) * window;
        int own = 0;
        if (first < rows)
            own = (marks.ahead_of(min(rows, first + window)) - marks.ahead_of(first) + c - 1) / c;
        own = __reduce_add_sync(kFullMask, own);
        if (lane == 0 && own) atomicAdd(&slices[p], own);
    }
    __syncthreads();
    for (int p = threadIdx.x; p < probes.count; p += kThreads)
        atomicAdd(&sums->sell_stored[probes.place[p]],
                  static_cast<count_t>(weight * slices[p] * probes.c[p]));
}

}  // namespace sptune::cuda::sell
