// Counts all that the features need: one whole pass, then sampled rows.
#include "features/describe.hpp"
#include "features/features.hpp"
#include "features/sell_beside.hpp"
#include "features/structure.hpp"
#include "matrix/parallel.hpp"

#include <optional>
#include <vector>

namespace sptune {
namespace {

template <class T, class P>
SampleCounts count_sample(CsrView<T, P> a, const SamplePlan& plan, bool sorted,
                          std::int64_t longest, int threads) {
    const std::vector<RowWindow> groups = plan.rows.units(), blocks = plan.sell_blocks.units();
    std::int64_t entries = 0;
    for (const RowWindow& w : groups) entries += a.row_ptr[w.last] - a.row_ptr[w.first];
    const bool square = a.rows == a.cols;
    const bool exact = plan.rows.everything();
    const LongRowRule rule(a.nnz());
    const auto group_count = static_cast<std::int64_t>(groups.size());
    const auto block_count = static_cast<std::int64_t>(blocks.size());
    const std::int64_t tile_count = plan.in_full ? 0 : plan.tiles.count;
    const std::int64_t stride = plan.in_full ? 1 : mirror_stride(entries, plan.work);

    constexpr std::int64_t kFewEntries = 1 << 22;  // of a few rows, to be counted one by one
    const auto chunk_of = [&](std::int64_t count) { return count < 16 * threads ? 1 : 4; };
    const int chunk = chunk_of(group_count), tile_chunk = chunk_of(tile_count);
    SampleCounts all;
    ExceptionCarrier carrier;
#pragma omp parallel num_threads(threads)
    {
        std::optional<SampleCounts> mine;
        carrier.run([&] { mine.emplace(); });
#pragma omp master  // always the same thread, which keeps memory for it
        carrier.run([&] {
            all.diagonals = count_diagonals(a.row_ptr, a.col_idx, a.rows, a.cols, plan.rows,
                                            plan.in_full || (exact && a.nnz() <= kFewEntries));
        });
#pragma omp for schedule(dynamic, 1) nowait
        for (std::int64_t b = 0; b < block_count; ++b)
            if (mine)
                carrier.run([&] {
                    const RowWindow& block = blocks[static_cast<std::size_t>(b)];
                    const SellSlots slots = sell_slots(a.row_ptr, block, exact);
                    mine->sell.merge(slots);
                    if (longest >= rule.least())
                        mine->sell_beside.merge(slots_beside(a.row_ptr, block, slots, rule, exact));
                });
#pragma omp for schedule(dynamic, tile_chunk) nowait
        for (std::int64_t draw = 0; draw < tile_count; ++draw)
            if (mine)
                carrier.run([&] {
                    count_tile(a.row_ptr, a.col_idx, a.rows, a.cols, plan.tiles, draw, sorted,
                               mine->blocks);
                });
#pragma omp for schedule(dynamic, chunk) nowait
        for (std::int64_t g = 0; g < group_count; ++g)
            if (mine)
                carrier.run([&] {
                    const RowWindow& group = groups[static_cast<std::size_t>(g)];
                    if (plan.in_full) count_blocks(a.row_ptr, a.col_idx, group, mine->blocks);
                    count_gaps(a.row_ptr, a.col_idx, group, sorted, mine->gaps);
                    if (square) count_mirrors(a, group, stride, sorted, mine->mirrors);
                });
#pragma omp critical(sptune_count_sample)
        if (mine) {
            all.sell.merge(mine->sell);
            all.sell_beside.merge(mine->sell_beside);
            all.blocks.merge(mine->blocks);
            all.gaps.merge(mine->gaps);
            all.mirrors.merge(mine->mirrors);
        }
    }
    carrier.rethrow();
    return all;
}

}  // namespace

template <class T, class P>
Features extract_features(CsrView<T, P> a, int threads, Look look) {
    const P nnz = a.nnz();
    threads =
        team_size(threads, static_cast<std::uint64_t>(nnz) + static_cast<std::uint64_t>(a.rows));
    if (nnz == 0) {
        check_structure(a, threads);
        Features f = blank_features(a.rows, a.cols, 0);
        f.empty_rows = a.rows;
        if (look == Look::thorough) f.fingerprint = fingerprint(a, threads);
        return f;
    }
    const WholePass pass = whole_pass(a, threads, look);
    const SamplePlan plan(a.rows, nnz);
    const LengthRuns runs = pass.lengths.runs();
    const SampleCounts counts = count_sample(a, plan, pass.sorted, runs.back().first, threads);
    return describe(a.rows, a.cols, nnz, runs, pass, plan, counts);
}

#define SPTUNE_INSTANTIATE(T, P) template Features extract_features(CsrView<T, P>, int, Look);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune
