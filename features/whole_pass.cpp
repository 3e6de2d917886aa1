#include "features/whole_pass.hpp"

#include "features/constant_values.hpp"
#include "features/diagonal_marks.hpp"
#include "features/entry_pass.hpp"
#include "features/fingerprint.hpp"
#include "features/quick_look.hpp"
#include "features/structure.hpp"
#include "features/wide_loops.hpp"
#include "matrix/error.hpp"
#include "matrix/lasting.hpp"
#include "matrix/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>

#include <omp.h>

namespace sptune {
namespace {

constexpr std::int64_t kWarp = 32;
constexpr std::size_t kLine = 8;  // words in a cache line

template <class P>
void add_lengths(const P* row_ptr, std::int64_t first, std::int64_t last, WholePass& out) {
    RowOrderSums sums;
    sums.neighbour_diff = neighbour_diff(row_ptr, first, last);
    for (std::int64_t warp = first; warp < last; warp += kWarp) {
        const std::int64_t end = std::min(last, warp + kWarp);
        const auto [shortest, longest] = length_range(row_ptr, warp, end);
        sums.warp_slots += kWarp * longest;
        if (shortest == longest)
            out.lengths.add(longest, static_cast<std::size_t>(warp),
                            static_cast<std::uint32_t>(end - warp));
        else
            for (std::int64_t i = warp; i < end; ++i)
                out.lengths.add(row_ptr[i + 1] - row_ptr[i], static_cast<std::size_t>(i));
    }
    out.order.merge(sums);
}

/// Of the rows [first, last), which are readable, all but the diagonals' number and bounds.
template <class T, class P>
void add_rows(CsrView<T, P> a, std::int64_t first, std::int64_t last, bool sampled,
              DiagonalMarks& marks, WholePass& out) {
    const auto rows = [&](std::int64_t from, std::int64_t to) {
        return RowsOfEntries<P>{a.row_ptr, a.col_idx, a.rows, from, to};
    };
    // The row before is what the first one is compared with.
    const bool is_sorted = sorted(rows(std::max<std::int64_t>(first - 1, 0), last));
    out.sorted = out.sorted && is_sorted;
    if (sampled) {
        const auto windows = quick_windows(first, last);
        for (std::size_t w = 0; w < windows.size(); ++w)
            marks.with_mark_of_two(w > 0, [&](auto mark) {
                add_entries(rows(windows[w].first, windows[w].last), is_sorted, mark, out);
            });
    } else {
        marks.with_mark([&](auto mark) { add_entries(rows(first, last), is_sorted, mark, out); });
    }
}

template <class T, class P>
void add_contents(CsrView<T, P> a, std::int64_t first, std::int64_t last, WholePass& out) {
    const std::int64_t begin = a.row_ptr[first], end = a.row_ptr[last];
    out.hash += hash_pointers(a.row_ptr, first, last);
    out.hash += hash_columns(a.col_idx, begin, end);
    out.constant = out.constant && all_equal(a.values, begin, end);
}

/// Sets what merge() leaves out, from the marks of all threads.
template <class T, class P>
void add_diagonals(DiagonalMarks& marks, BitCounts met, CsrView<T, P> a, bool sampled,
                   WholePass& all) {
    const auto& words = marks.words();
    const auto set = [](std::uint64_t word) { return word != 0; };
    const auto low = static_cast<std::size_t>(std::ranges::find_if(words, set) - words.begin());
    if (low == words.size()) return;  // of a sample of empty rows
    std::size_t high = words.size() - 1;
    while (!words[high]) --high;
    const std::int64_t shift = std::int64_t{a.rows} - 1;
    all.lowest_diagonal = marks.diagonal(low, std::countr_zero(words[low])) - shift;
    all.highest_diagonal = marks.diagonal(high, 63 - std::countl_zero(words[high])) - shift;
    all.diagonals =
        sampled ? std::min(shift + a.cols, all_diagonals(met.all, met.pairs, all.entries, a.nnz()))
                : met.all;
}

template <class T, class P>
WholePass pass_over(CsrView<T, P> a, int threads, Look look, bool sampled) {
    const std::int64_t rows = a.rows, nnz = a.nnz();
    // About 8 Ki entries a chunk, so that columns read twice come from the cache the second time.
    // Lengths are counted by whole warps: where chunks are smaller, all of them afterwards.
    const std::int64_t wanted = std::clamp<std::int64_t>(8192 * rows / nnz, 1, 256 * kWarp);
    const bool warps = wanted >= kWarp;
    const std::int64_t chunk = warps ? (wanted + kWarp - 1) / kWarp * kWarp : wanted;
    // What a thread has found. Threads read each other's, and their lives end with the region.
    struct Part {
        DiagonalMarks* marks = nullptr;  ///< null where there was no memory for them
        WholePass* own = nullptr;
    };
    std::vector<Part> parts(static_cast<std::size_t>(threads));
    WholePass all;
    std::int64_t diagonals = 0, pairs = 0;
    std::atomic<bool> readable{true};
    ExceptionCarrier carrier;
#pragma omp parallel num_threads(threads) reduction(+ : diagonals, pairs)
    {
        const auto team = static_cast<std::size_t>(omp_get_num_threads());
        auto& marks = of_this_thread<DiagonalMarks, struct Marks>();
        WholePass own;
        carrier.run([&] {
            const auto passed = static_cast<std::size_t>(sampled ? nnz / 4 : nnz);
            marks.reset(static_cast<std::size_t>(rows + a.cols), sampled, passed / team);
            parts[static_cast<std::size_t>(omp_get_thread_num())] = {&marks, &own};
        });
#pragma omp barrier
        // Without the memory of one of them, none has anything to do.
        const bool ready =
            std::all_of(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(team),
                        [](const Part& part) { return part.marks != nullptr; });
#pragma omp for schedule(dynamic, 1) nowait
        for (std::int64_t first = 0; first < (ready ? rows : 0); first += chunk) {
            const std::int64_t last = std::min(rows, first + chunk);
            // Of what the caller passes nothing is known; the arrays are in the cache afterwards.
            if (!readable_rows(a.row_ptr, a.col_idx, a.cols, a.nnz(), first, last)) {
                readable = false;
                continue;
            }
            if (warps) carrier.run([&] { add_lengths(a.row_ptr, first, last, own); });
            add_rows(a, first, last, sampled, marks, own);
            if (look == Look::thorough) add_contents(a, first, last, own);
        }
        own.lengths.fold();
#pragma omp barrier
        // All marks into those of the first thread, which sums up the rest before it joins in.
#pragma omp master
        if (ready)
            carrier.run([&] {
                for (std::size_t t = 0; t < team; ++t) all.merge(*parts[t].own);
            });
        std::uint64_t* const words = ready ? parts[0].marks->words().data() : nullptr;
        const std::size_t count = ready ? marks.words().size() : 0;
        // Of whole lines, two for each thread; each is read again while it is in the cache.
        const std::size_t share = (count / (2 * team) + kLine) / kLine * kLine;
        const std::size_t piece = std::min<std::size_t>(share, 2048);
#pragma omp for schedule(dynamic, 1)
        for (std::size_t first = 0; first < count; first += piece) {
            const std::size_t size = std::min(piece, count - first);
            for (std::size_t t = 1; t < team; ++t)
                unite_words(words + first, parts[t].marks->words().data() + first, size);
            const BitCounts met = parts[0].marks->met(first, size);
            diagonals += met.all, pairs += met.pairs;
        }
        if (ready && &marks != parts[0].marks) marks.rest();
    }
    carrier.rethrow();
    if (!readable) throw UsageError(unreadable(a));
    if (!warps) add_lengths(a.row_ptr, 0, rows, all);
    add_diagonals(*parts[0].marks, {diagonals, pairs}, a, sampled, all);
    parts[0].marks->rest();
    all.look = look;
    return all;
}

}  // namespace

void WholePass::merge(const WholePass& other) {
    lengths.merge(other.lengths);
    order.merge(other.order);
    hash += other.hash;
    rows += other.rows;
    entries += other.entries;
    distance += other.distance;
    profile += other.profile;
    first_moves += other.first_moves;
    first_pairs += other.first_pairs;
    sorted &= other.sorted;
    constant &= other.constant;
}

template <class T, class P>
WholePass whole_pass(CsrView<T, P> a, int threads, Look look) {
    if (look == Look::quick && worth_a_quick_look(a.rows, a.nnz())) {
        WholePass pass = pass_over(a, threads, look, true);
        // Where few rows have most of the entries, those that were passed may not be among them.
        constexpr std::int64_t kLeastShare = 16;
        if (pass.entries > a.nnz() / kLeastShare) return pass;
    }
    WholePass pass = pass_over(a, threads, look, false);
    pass.hash += pointer_terms(a.row_ptr, a.rows, std::int64_t{a.rows} + 1);
    return pass;
}

#define SPTUNE_INSTANTIATE(T, P) template WholePass whole_pass(CsrView<T, P>, int, Look);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune
