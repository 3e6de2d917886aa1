#include "features/cuda/diagonals.hpp"
#include "features/cuda/features.hpp"
#include "features/cuda/smallest_columns.hpp"
#include "features/cuda/whole.hpp"
#include "features/cuda/workspace.hpp"
#include "features/describe.hpp"
#include "matrix/cuda/copy_csr.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace sptune {
namespace cuda {
namespace {

template <class T>
void fetch(T* to, const T* from, std::size_t count) {
    if (count) SPTUNE_CUDA(cudaMemcpy(to, from, count * sizeof(T), cudaMemcpyDeviceToHost));
}

/// What the kernels have found.
struct alignas(16) Found {
    static constexpr std::size_t kListed = 256;
    Sums sums;
    unsigned listed[kListed];  ///< the first of diagonal_entries
};

WholePass whole_pass_of(const Sums& s, std::int64_t rows, std::int64_t cols, std::int64_t nnz) {
    WholePass pass;
    pass.rows = rows;
    pass.entries = nnz;
    pass.order.neighbour_diff = static_cast<std::int64_t>(s.neighbour_diff);
    pass.order.warp_slots = static_cast<std::int64_t>(s.warp_slots);
    pass.hash = s.hash;
    pass.distance = s.distance_low + (wide_sum{s.distance_high} << 32);
    pass.profile = static_cast<std::int64_t>(s.profile);
    pass.first_moves = static_cast<std::int64_t>(s.first_moves);
    pass.first_pairs = static_cast<std::int64_t>(s.first_pairs);
    pass.sorted = !s.unsorted;
    pass.constant = !s.varied;
    pass.diagonals = static_cast<std::int64_t>(s.diagonals);
    pass.lowest_diagonal = cols - std::int64_t{s.past_lowest};
    pass.highest_diagonal = std::int64_t{s.past_highest} - rows;
    return pass;
}

SampleCounts sample_counts_of(const Sums& s) {
    SampleCounts counts;
    for (std::size_t p = 0; p < counts.sell.stored.size(); ++p)
        counts.sell.stored[p] = static_cast<std::int64_t>(s.sell_stored[p]);
    counts.sell.entries = static_cast<std::int64_t>(s.sell_entries);
    const auto side = [](int length) {
        return std::ranges::find(kBlockSides, length) - kBlockSides.begin();
    };
    for (std::size_t p = 0; p < counts.blocks.blocks.size(); ++p)
        counts.blocks.blocks[p] = s.blocks[side(bsr_probes()[p].c)][side(bsr_probes()[p].r)];
    counts.blocks.entries = s.block_entries;
    counts.gaps.gaps = s.gaps;
    counts.gaps.rows = s.gap_rows;
    counts.blocks.followed = s.followed;
    counts.blocks.continued = s.continued;
    counts.mirrors = {static_cast<std::int64_t>(s.mirror_entries),
                      static_cast<std::int64_t>(s.mirrors_present),
                      static_cast<std::int64_t>(s.mirrors_equal)};
    counts.diagonals.dense = static_cast<std::int64_t>(s.dense_diagonals);
    counts.diagonals.on_dense = static_cast<std::int64_t>(s.on_dense);
    counts.diagonals.total = static_cast<std::int64_t>(s.on_any);
    return counts;
}

/// A column that is none marks what nobody clears.
bool columns_are_inside(const Sums& s, std::int64_t rows, std::int64_t cols) {
    return s.past_highest < rows + cols && s.past_lowest < rows + cols;
}

/// As if no group had been visited.
void forget_groups(const GroupMemory& memory, Sums* sums) {
    constexpr std::size_t begin = offsetof(Sums, diagonals), end = offsetof(Sums, sell_stored);
    SPTUNE_CUDA(
        cudaMemsetAsync(reinterpret_cast<std::byte*>(sums) + begin, 0, end - begin, nullptr));
    SPTUNE_CUDA(cudaMemsetAsync(memory.diagonals, 0,
                                sizeof(Slot) * (std::size_t{1} << memory.diagonals_log2), nullptr));
}

/// The largest of the numbers that a histogram holds, largest first.
std::vector<std::int64_t> largest(const Histogram& histogram, std::vector<std::int64_t> listed,
                                  std::size_t wanted) {
    const auto most = static_cast<std::ptrdiff_t>(std::min(wanted, listed.size()));
    std::partial_sort(listed.begin(), listed.begin() + most, listed.end(), std::greater<>());
    listed.resize(static_cast<std::size_t>(most));
    for (std::size_t n = kShortRows; n-- > 1 && listed.size() < wanted;)
        listed.insert(listed.end(), std::min<std::size_t>(histogram.few[n], wanted - listed.size()),
                      static_cast<std::int64_t>(n));
    return listed;
}

}  // namespace
}  // namespace cuda

template <class T, class P>
Features extract_features_on_device(CsrView<T, P> a) {
    using namespace cuda;
    const std::int64_t rows = a.rows, cols = a.cols, nnz = a.nnz();
    if (nnz == 0) {
        Features f = blank_features(rows, cols, 0);
        f.empty_rows = rows;
        f.fingerprint = fingerprint_on_device(a);
        return f;
    }
    const SamplePlan plan(rows, nnz);
    if (plan.rows.everything()) return extract_features(copy_to_host(a).view());

    const int log2 = diagonals_log2(plan, rows, nnz);
    const std::uint64_t spare_count = spare_slots(plan);
    Places zeros, others;
    const auto occupied_at =
        zeros.reserve<unsigned>(static_cast<std::size_t>(occupied_words(rows, cols)));
    const auto diagonals_at = zeros.reserve<Slot>(std::size_t{1} << log2);
    const auto found_at = zeros.reserve<Found>(1);
    const auto listed_at = others.reserve<unsigned>(std::size_t{1} << log2);
    const auto long_rows_at =
        others.reserve<std::int64_t>(static_cast<std::size_t>(nnz) / kShortRows);
    const auto spare_at = others.reserve<Slot>(spare_count);
    std::optional<Workspace<Found>> kept(std::in_place, zeros.size(), others.size());
    Workspace<Found>& space = *kept;
    auto* const occupied = space.zeros<unsigned>(occupied_at);
    auto* const there = space.zeros<Found>(found_at);
    auto* const listed_later = space.others<unsigned>(listed_at);
    auto* const long_rows = space.others<std::int64_t>(long_rows_at);
    Sums* const sums = &there->sums;
    const GroupMemory memory{space.zeros<Slot>(diagonals_at), log2, space.others<Slot>(spare_at),
                             spare_count};

    // Side by side: in the hope that rows are sorted, as they mostly are.
    add_groups(a, plan, memory, true, sums);
    add_whole(a, plan, occupied, long_rows, sums);
    const auto add_diagonals_and_wait = [&] {
        add_diagonals(occupied, rows, cols, plan, memory,
                      {there->listed, listed_later, Found::kListed}, sums, space.copy_of(there));
        return space.wait();
    };
    Found found = add_diagonals_and_wait();
    if (found.sums.unsorted) {
        DeviceBuffer<unsigned> smallest(static_cast<std::size_t>(rows));
        add_smallest_columns(a, smallest, sums);
        forget_groups(memory, sums);
        add_groups(a, plan, memory, false, sums);
        found = add_diagonals_and_wait();
    } else if (columns_are_inside(found.sums, rows, cols)) {
        space.is_clean();
    }
    if (found.sums.overflow) {
        kept.reset();  // others need not wait
        return extract_features(copy_to_host(a).view());
    }

    std::vector<std::int64_t> lengths(found.sums.row_lengths.listed);
    const std::size_t first = std::min(lengths.size(), kFirstLongRows);
    std::copy_n(found.sums.first_long_rows, first, lengths.begin());
    fetch(lengths.data() + first, long_rows + first, lengths.size() - first);
    std::array<std::int64_t, kShortRows> shorter;
    std::ranges::copy(found.sums.row_lengths.few, shorter.begin());
    SampleCounts counts = sample_counts_of(found.sums);
    std::vector<unsigned> listed(found.sums.diagonal_entries.listed);
    const std::size_t at_hand = std::min(listed.size(), Found::kListed);
    std::copy_n(found.listed, at_hand, listed.begin());
    fetch(listed.data() + at_hand, listed_later + at_hand, listed.size() - at_hand);
    counts.diagonals.top =
        largest(found.sums.diagonal_entries, {listed.begin(), listed.end()}, kTopDiagonals);
    return describe(rows, cols, nnz, length_runs(shorter, std::move(lengths)),
                    whole_pass_of(found.sums, rows, cols, nnz), plan, counts);
}

#define SPTUNE_INSTANTIATE(T, P) template Features extract_features_on_device(CsrView<T, P>);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune
