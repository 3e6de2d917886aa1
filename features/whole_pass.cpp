#include "features/whole_pass.hpp"

#include "features/diagonal_marks.hpp"
#include "features/entry_pass.hpp"
#include "features/fingerprint.hpp"
#include "features/structure.hpp"
#include "features/wide_loops.hpp"
#include "matrix/error.hpp"
#include "matrix/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <cstring>

#include <omp.h>

namespace sptune {
namespace {

constexpr std::int64_t kWarp = 32;

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

/// Are the values of [first, last) and the first value of all the same bits? They are when they
/// equal themselves shifted by one, which memcmp finds out at the speed of memory.
template <class T>
bool all_equal(const T* values, std::int64_t first, std::int64_t last) {
    const T* const from = values + std::max<std::int64_t>(0, first - 1);
    const auto bytes = static_cast<std::size_t>(values + last - 1 - from) * sizeof(T);
    return first == last || std::memcmp(from, from + 1, bytes) == 0;
}

}  // namespace

void WholePass::merge(const WholePass& other) {
    lengths.merge(other.lengths);
    order.merge(other.order);
    hash += other.hash;
    distance += other.distance;
    profile += other.profile;
    first_moves += other.first_moves;
    first_pairs += other.first_pairs;
    sorted &= other.sorted;
    constant &= other.constant;
}

template <class T, class P>
WholePass whole_pass(CsrView<T, P> a, int threads) {
    const std::int64_t rows = a.rows, nnz = a.nnz();
    // About 16 Ki entries a chunk, so that columns read twice come from the cache the second time.
    const std::int64_t warps = (8192 * rows / nnz + kWarp - 1) / kWarp;
    const std::int64_t chunk = kWarp * std::clamp<std::int64_t>(warps, 1, 256);
    WholePass all;
    all.hash = pointer_terms(a.row_ptr, rows, rows + 1);
    std::vector<DiagonalMarks*> parts(static_cast<std::size_t>(threads));
    std::int64_t diagonals = 0;
    std::atomic<bool> readable{true};
    ExceptionCarrier carrier;
#pragma omp parallel num_threads(threads) reduction(+ : diagonals)
    {
        thread_local DiagonalMarks marks;
        carrier.run([&] {
            marks.reset(static_cast<std::size_t>(rows + a.cols));
            parts[static_cast<std::size_t>(omp_get_thread_num())] = &marks;
        });
#pragma omp barrier
        // Without the memory of one of them, none has anything to do.
        const bool ready = std::find(parts.begin(), parts.begin() + omp_get_num_threads(),
                                     nullptr) == parts.begin() + omp_get_num_threads();
        WholePass own;
#pragma omp for schedule(dynamic, 1) nowait
        for (std::int64_t first = 0; first < (ready ? rows : 0); first += chunk) {
            const std::int64_t last = std::min(rows, first + chunk);
            // Of what the caller passes nothing is known; the arrays are in the cache afterwards.
            if (!readable_rows(a.row_ptr, a.col_idx, a.cols, a.nnz(), first, last)) {
                readable = false;
                continue;
            }
            const std::int64_t begin = a.row_ptr[first], end = a.row_ptr[last];
            own.hash += hash_pointers(a.row_ptr, first, last);
            own.hash += hash_columns(a.col_idx, begin, end);
            carrier.run([&] { add_lengths(a.row_ptr, first, last, own); });
            const RowsOfEntries<P> entries{a.row_ptr, a.col_idx, rows, first, last};
            marks.bytes() ? add_entries(entries, marks.set_byte(), own)
                          : add_entries(entries, marks.set_bit(), own);
            own.constant = own.constant && all_equal(a.values, begin, end);
        }
#pragma omp critical(sptune_whole_pass)
        carrier.run([&] { all.merge(own); });
#pragma omp barrier
        // All marks into those of the first thread.
        std::uint64_t* const words = ready ? parts[0]->words().data() : nullptr;
        constexpr std::size_t kPiece = 2048;
        const std::size_t count = ready ? marks.words().size() : 0;
#pragma omp for schedule(static)
        for (std::size_t first = 0; first < count; first += kPiece) {
            const std::size_t size = std::min(kPiece, count - first);
            for (int t = 1; t < omp_get_num_threads(); ++t)
                unite_words(words + first,
                            parts[static_cast<std::size_t>(t)]->words().data() + first, size);
            diagonals += count_bits(words + first, size);
        }
    }
    carrier.rethrow();
    if (!readable) throw UsageError(unreadable(a));
    DiagonalMarks& marks = *parts[0];
    const auto& words = marks.words();
    const auto set = [](std::uint64_t word) { return word != 0; };
    const auto low = static_cast<std::size_t>(std::ranges::find_if(words, set) - words.begin());
    std::size_t high = words.size() - 1;
    while (!words[high]) --high;  // there is at least one nonzero
    all.diagonals = diagonals;
    all.lowest_diagonal = marks.diagonal(low, std::countr_zero(words[low])) - (rows - 1);
    all.highest_diagonal = marks.diagonal(high, 63 - std::countl_zero(words[high])) - (rows - 1);
    return all;
}

template WholePass whole_pass(CsrView<float, std::int32_t>, int);
template WholePass whole_pass(CsrView<float, std::int64_t>, int);
template WholePass whole_pass(CsrView<double, std::int32_t>, int);
template WholePass whole_pass(CsrView<double, std::int64_t>, int);

}  // namespace sptune
