#include "features/whole_pass.hpp"

#include "features/diagonal_marks.hpp"
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

/// Whether kWarp rows from the first on are all so long. A loop without a branch: it takes wide
/// registers.
template <class P>
bool all_of_length(const P* row_ptr, std::int64_t first, P length) {
    P other = 0;
    for (std::int64_t i = first; i < first + kWarp; ++i)
        other |= (row_ptr[i + 1] - row_ptr[i]) ^ length;
    return other == 0;
}

template <class P>
void add_lengths(const P* row_ptr, std::int64_t first, std::int64_t last, WholePass& out) {
    P previous = first > 0 ? row_ptr[first] - row_ptr[first - 1] : row_ptr[1];
    RowOrderSums sums;
    for (std::int64_t warp = first; warp < last; warp += kWarp) {
        if (warp + kWarp <= last && all_of_length(row_ptr, warp, previous)) {
            out.lengths.add(previous, static_cast<std::size_t>(warp), kWarp);
            sums.warp_slots += kWarp * previous;
            continue;
        }
        P longest = 0;
        for (std::int64_t i = warp; i < std::min(last, warp + kWarp); ++i) {
            const P length = row_ptr[i + 1] - row_ptr[i];
            out.lengths.add(length, static_cast<std::size_t>(i));
            sums.neighbour_diff += std::abs(length - previous);
            longest = std::max(longest, length);
            previous = length;
        }
        sums.warp_slots += kWarp * longest;
    }
    out.order.merge(sums);
}

/// Are the diagonals of the non-empty row [begin, end) those of the row [before, begin)?
template <class P>
bool same_diagonals(const index_t* col_idx, P before, P begin, P end) {
    // One branch, almost never taken for irregular matrices, so that it is predicted.
    if ((end - begin != begin - before) | (col_idx[begin] != col_idx[before] + 1)) return false;
    for (P k = begin + 1; k < end; ++k)
        if (col_idx[k] != col_idx[k - (end - begin)] + 1) return false;
    return true;
}

/// Whether a quarter of the rows [first, last) repeat the one before, as far as the beginning
/// tells. Where fewer do, asking each of them costs more than it saves.
template <class P>
bool regular(const P* row_ptr, const index_t* col_idx, std::int64_t first, std::int64_t last) {
    const std::int64_t tried = std::min<std::int64_t>(64, last - first - 1);
    std::int64_t repeated = 0;
    for (std::int64_t i = first + 1; i <= first + tried; ++i)
        repeated += row_ptr[i] < row_ptr[i + 1] &&
                    same_diagonals(col_idx, row_ptr[i - 1], row_ptr[i], row_ptr[i + 1]);
    return 4 * repeated >= tried;
}

/// Do kWarp rows from i on all have the diagonals of row i - 1, which is not empty?
template <class P>
bool run_repeats(const P* row_ptr, const index_t* col_idx, std::int64_t i) {
    const P length = row_ptr[i] - row_ptr[i - 1];
    return length > 0 && all_of_length(row_ptr, i, length) &&
           all_moved_by_one(col_idx, row_ptr[i], row_ptr[i + kWarp], length);
}

/// Distances to the diagonal, occupied diagonals, smallest columns: per entry, unless the row
/// repeats the one before. `mark` notes a diagonal.
template <bool kSorted, class Mark, class P>
void add_entries(const P* row_ptr, const index_t* col_idx, std::int64_t rows, std::int64_t first,
                 std::int64_t last, Mark mark, WholePass& out) {
    constexpr index_t kNone = -1;
    index_t before = kNone;  // smallest column of the row before
    if (first > 0 && row_ptr[first - 1] < row_ptr[first])
        before = *std::min_element(col_idx + row_ptr[first - 1], col_idx + row_ptr[first]);
    const bool repeats = regular(row_ptr, col_idx, first, last);
    std::uint64_t distance = 0;  // of the row before
    wide_sum distances = 0;      // in registers, where the marks cannot touch them
    std::int64_t profile = 0, moves = 0, pairs = 0;
    std::int64_t next_run = first + 1;  // rows before it are no run: not to be asked again
    for (std::int64_t i = first; i < last; ++i) {
        if (repeats && i >= next_run && i + kWarp <= last) {
            if (run_repeats(row_ptr, col_idx, i)) {
                distances += kWarp * distance;
                profile += kWarp * std::max<std::int64_t>(0, i - 1 - before);
                moves += kWarp;
                pairs += kWarp;
                before += static_cast<index_t>(kWarp);
                i += kWarp - 1;
                continue;
            }
            next_run = i + kWarp;
        }
        const P begin = row_ptr[i], end = row_ptr[i + 1];
        if (begin == end) {
            before = kNone;
            continue;
        }
        index_t smallest = before + 1;  // of a repeated row
        // The rows of a regular matrix repeat each other, and have nothing new then.
        if (!repeats || i == first || !same_diagonals(col_idx, row_ptr[i - 1], begin, end)) {
            distance = 0;
            smallest = col_idx[begin];
            const auto row = static_cast<index_t>(i);
            const std::int64_t shift = rows - 1 - i;
            for (P k = begin; k < end; ++k) {
                const index_t column = col_idx[k];
                if constexpr (!kSorted) smallest = std::min(smallest, column);
                distance += static_cast<std::uint32_t>(std::abs(column - row));
                mark(static_cast<std::uint64_t>(column + shift));
            }
        }
        distances += distance;
        profile += std::max<std::int64_t>(0, i - smallest);
        if (before != kNone) {
            moves += std::abs(smallest - before);
            ++pairs;
        }
        before = smallest;
    }
    out.distance += distances;
    out.profile += profile;
    out.first_moves += moves;
    out.first_pairs += pairs;
}

/// As many of those as lie between rows; all of them where the columns of every row are sorted.
template <class P>
std::int64_t descents_between(const P* row_ptr, const index_t* col_idx, std::int64_t first,
                              std::int64_t last) {
    const P begin = row_ptr[first];
    std::int64_t sum = 0;
    for (std::int64_t i = first; i < last; ++i) {
        const P at = row_ptr[i];
        if (at < row_ptr[i + 1] && at > begin) sum += col_idx[at] < col_idx[at - 1];
    }
    return sum;
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
    const std::int64_t warps = (16384 * rows / nnz + kWarp - 1) / kWarp;
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
            const bool sorted = descents(a.col_idx, begin, end) ==
                                descents_between(a.row_ptr, a.col_idx, first, last);
            own.sorted = own.sorted && sorted;
            const auto add = [&](auto mark) {
                if (sorted)
                    add_entries<true>(a.row_ptr, a.col_idx, rows, first, last, mark, own);
                else
                    add_entries<false>(a.row_ptr, a.col_idx, rows, first, last, mark, own);
            };
            marks.bytes() ? add(marks.set_byte()) : add(marks.set_bit());
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
