// Puts the features together: one whole pass, then estimates on sampled rows.
#include "features/blocks.hpp"
#include "features/diagonals.hpp"
#include "features/features.hpp"
#include "features/fingerprint.hpp"
#include "features/row_lengths.hpp"
#include "features/sample.hpp"
#include "features/sell_padding.hpp"
#include "features/symmetry.hpp"
#include "features/whole_pass.hpp"
#include "matrix/parallel.hpp"

#include <algorithm>
#include <cmath>

namespace sptune {
namespace {

/// Rows plus entries up to which all is looked at; how much of larger matrices is at least; and the
/// share of really large ones: a sampled entry costs some ten times one of the whole pass.
constexpr std::int64_t kWorkInFull = 2048;
constexpr std::int64_t kWorkFloor = 1536;
constexpr std::int64_t kWorkShare = 192;
constexpr std::int64_t kWindows = 48;

/// An empty description, with the probes in place.
Features blank(std::int64_t rows, std::int64_t cols, std::int64_t nnz) {
    Features f;
    f.rows = rows;
    f.cols = cols;
    f.nnz = nnz;
    for (const SellProbe& p : sell_probes()) f.sell.push_back({p.c, p.sigma, 0});
    for (const BsrProbe& p : bsr_probes()) f.bsr.push_back({p.r, p.c, 0});
    return f;
}

template <class T, class P>
void sample_rows(CsrView<T, P> a, const WholePass& pass, int threads, Features& f) {
    const std::int64_t all_work = f.rows + f.nnz;
    const std::int64_t work =
        all_work <= kWorkInFull ? all_work : std::max(kWorkFloor, all_work / kWorkShare);
    const double share = static_cast<double>(work) / static_cast<double>(all_work);
    const auto wanted = static_cast<std::int64_t>(std::ceil(share * static_cast<double>(f.rows)));
    const RowSample rows(f.rows, wanted, kBlockGroup, kWindows);
    // SELL needs long stretches of rows, which small matrices cannot afford in full.
    const std::int64_t block =
        rows.everything() || wanted >= kSellBlock ? kSellBlock : kSellBlock / 2;
    const RowSample blocks(f.rows, wanted, block, kWindows);
    f.sampled_share = static_cast<double>(rows.rows()) / static_cast<double>(f.rows);

    std::vector<RowWindow> groups;
    std::int64_t entries = 0;
    for (const RowWindow& w : rows.windows()) {
        entries += a.row_ptr[w.last] - a.row_ptr[w.first];
        for (std::int64_t i = w.first; i < w.last; i += kBlockGroup)
            groups.push_back({i, std::min(w.last, i + kBlockGroup)});
    }
    const bool square = f.rows == f.cols;
    const auto group_count = static_cast<std::int64_t>(groups.size());
    const auto block_count = static_cast<std::int64_t>(blocks.windows().size());
    const std::int64_t entry_limit =
        rows.everything() ? f.nnz : std::max<std::int64_t>(1024, 4 * work / group_count);
    const std::int64_t stride = rows.everything() ? 1 : 1 + entries / (work / 4 + 1);

    SellSlots slots;
    BlockCounts counts;
    MirrorCounts mirrors;
#pragma omp parallel num_threads(threads)
    {
        SellSlots own_slots;
        BlockCounts own_counts;
        MirrorCounts own_mirrors;
#pragma omp single nowait
        sample_diagonals(a.row_ptr, a.col_idx, rows, f);
#pragma omp for schedule(dynamic, 1) nowait
        for (std::int64_t b = 0; b < block_count; ++b)
            own_slots.merge(sell_slots(a.row_ptr, blocks.windows()[static_cast<std::size_t>(b)],
                                       rows.everything()));
#pragma omp for schedule(dynamic, 4) nowait
        for (std::int64_t g = 0; g < group_count; ++g) {
            const RowWindow& group = groups[static_cast<std::size_t>(g)];
            count_blocks(a.row_ptr, a.col_idx, f.cols, group, entry_limit, pass.sorted, own_counts);
            if (square) count_mirrors(a, group, stride, pass.sorted, own_mirrors);
        }
#pragma omp critical(sptune_sample_rows)
        {
            slots.merge(own_slots);
            counts.merge(own_counts);
            mirrors.merge(own_mirrors);
        }
    }
    describe_sell(slots, f);
    describe_blocks(counts, f);
    if (square) {
        // Without off-diagonal entries there is nothing that could be unsymmetric.
        const auto n = static_cast<double>(std::max<std::int64_t>(1, mirrors.entries));
        f.pattern_symmetry = mirrors.entries ? static_cast<double>(mirrors.present) / n : 1;
        f.value_symmetry = mirrors.entries ? static_cast<double>(mirrors.equal) / n : 1;
    }
}

}  // namespace

template <class T, class P>
Features extract_features(CsrView<T, P> a, int threads) {
    threads = thread_count(threads);
    Features f = blank(a.rows, a.cols, a.nnz());
    if (f.nnz == 0) {
        f.empty_rows = f.rows;
        f.fingerprint = fingerprint(a, threads);
        return f;
    }
    WholePass pass = whole_pass(a, threads);
    f.density =
        static_cast<double>(f.nnz) / (static_cast<double>(f.rows) * static_cast<double>(f.cols));
    f.fingerprint = finish_fingerprint(pass.hash, f.rows, f.cols, f.nnz);
    f.constant_values = pass.constant;
    if (pass.first_pairs > 0)
        f.reuse_distance =
            static_cast<double>(pass.first_moves) / static_cast<double>(pass.first_pairs);
    describe_row_lengths(pass.lengths.runs(), pass.order, f);
    describe_diagonals(pass, f);
    sample_rows(a, pass, threads, f);
    return f;
}

template Features extract_features(CsrView<float, std::int32_t>, int);
template Features extract_features(CsrView<float, std::int64_t>, int);
template Features extract_features(CsrView<double, std::int32_t>, int);
template Features extract_features(CsrView<double, std::int64_t>, int);

}  // namespace sptune
