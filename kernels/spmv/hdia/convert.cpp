#include "kernels/instantiate.hpp"
#include "kernels/parallel.hpp"
#include "kernels/spmv/hdia/format.hpp"
#include "kernels/spmv/hdia/grid.hpp"
#include "kernels/spmv/hdia/rough_slices.hpp"
#include "kernels/spmv/hdia/slice_diagonals.hpp"
#include "matrix/parallel.hpp"

#include <algorithm>
#include <mutex>

namespace sptune {

namespace {

using hdia::Counts;
using hdia::SliceDiagonals;
using hdia::slices_of;

constexpr int kMostSlices = 64;  // that a thread takes at once

/// More would take a table of more than 1 GiB, in each thread.
constexpr std::int64_t kMostDiagonals = (std::int64_t{1} << 26) - 1;

template <class T, class P>
bool fits_tables(CsrView<T, P> a, int c) {
    for (std::int64_t first = 0; first < a.rows; first += c) {
        const auto last = std::min<std::int64_t>(a.rows, first + c);
        if (SliceDiagonals::most_diagonals(a, first, last) > kMostDiagonals) return false;
    }
    return true;
}

/// Writes the entries of slice `s` to its place.
template <class T, class P>
void fill_slice(CsrView<T, P> a, index_t s, const index_t* run_of, HdiaStorage<T>& out) {
    const int c = out.c;
    const std::int64_t begin = out.slice_ptr[s], first_run = out.run_ptr[s];
    const std::int64_t runs = out.run_ptr[s + 1] - first_run;
    const std::int64_t width = (out.slice_ptr[s + 1] - begin) / c - runs;
    T* const values = out.values.data() + begin;
    T* const rest = values + runs * c;
    index_t* const start = out.start.data() + first_run;
    index_t* const column = out.column.data() + begin - first_run * c;
    std::fill_n(values, (runs + width) * c, T{0});
    for (index_t lane = 0; lane < c; ++lane) {
        const std::int64_t i = std::int64_t{s} * c + lane;
        std::int64_t j = 0;
        index_t last = 0;
        const bool is_beside = out.beside.count() > 0 &&
                               std::binary_search(out.beside.row.begin(), out.beside.row.end(),
                                                  static_cast<index_t>(i));
        for (P k = i < a.rows ? a.row_ptr[i] : 0; i < a.rows && k < a.row_ptr[i + 1]; ++k) {
            last = a.col_idx[k];
            const index_t run = run_of[k];
            if (run != hdia::kOff) {
                start[run] = last - lane;
                values[std::int64_t{run} * c + lane] += a.values[k];  // may be there twice
            } else if (!is_beside) {
                rest[j * c + lane] = a.values[k];
                column[j++ * c + lane] = last;
            }
        }
        // Padding touches only entries of x that the row needs anyway.
        for (; j < width; ++j) column[j * c + lane] = last;
    }
}

/// Of the slices that have rows beside them, in order.
template <class T, class P>
LongRows<T> rows_beside(CsrView<T, P> a, const std::vector<index_t>& slices, const index_t* run_of,
                        const HdiaStorage<T>& of) {
    std::vector<index_t> rows;
    std::vector<std::int64_t> lengths;
    for (const index_t s : slices) {
        const std::int64_t width =
            (of.slice_ptr[s + 1] - of.slice_ptr[s]) / of.c - (of.run_ptr[s + 1] - of.run_ptr[s]);
        const std::int64_t first = std::int64_t{s} * of.c;
        for (std::int64_t i = first; i < std::min<std::int64_t>(first + of.c, a.rows); ++i) {
            const std::int64_t off =
                std::count(run_of + a.row_ptr[i], run_of + a.row_ptr[i + 1], hdia::kOff);
            if (off <= width) continue;
            rows.push_back(static_cast<index_t>(i));
            lengths.push_back(off);
        }
    }
    LongRows<T> out(rows, lengths);
    std::int64_t place = 0;
    for (const index_t i : rows)
        for (P k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
            if (run_of[k] != hdia::kOff) continue;
            out.column[place] = a.col_idx[k];
            out.values[place++] = a.values[k];
        }
    return out;
}

}  // namespace

template <class T, class P>
Footprint HdiaFormat::inspect(CsrView<T, P> a, const Features&, const Params& params) {
    const int c = get(params, "c"), percent = get(params, "f");
    if (!fits_tables(a, c)) {
        Footprint f;
        f.illegal = "a slice may meet 2^26 diagonals or more";
        return f;
    }
    const index_t slices = slices_of(a.rows, c);
    const int team = resolve_threads(0), chunk = chunk_of(slices, team, kMostSlices);
    std::int64_t runs = 0, rest = 0, on = 0, rows_beside = 0, beside = 0;
    const LongRowRule rule(a.nnz());
    ExceptionCarrier carrier;
#pragma omp parallel num_threads(team) reduction(+ : runs, rest, on, rows_beside, beside)
    {
        SliceDiagonals slice;
        std::vector<index_t> run_of;
#pragma omp for schedule(dynamic, chunk)
        for (index_t s = 0; s < slices; ++s)
            carrier.run([&] {
                const auto last = std::min(std::int64_t{a.rows}, (std::int64_t{s} + 1) * c);
                run_of.resize(static_cast<std::size_t>(a.row_ptr[last] - a.row_ptr[s * c]));
                slice.look(a, s * c, c, percent, rule, run_of.data());
                runs += slice.runs();
                rest += slice.rest_width();
                on += slice.on();
                rows_beside += slice.rows_beside();
                beside += slice.entries_beside();
            });
    }
    carrier.rethrow();
    Footprint f;
    f.storage_bytes = Counts{runs, rest, on, beside}.bytes(c, sizeof(T)) +
                      LongRows<T>::bytes_of(rows_beside, 0) +
                      2 * (static_cast<std::uint64_t>(slices) + 1) * sizeof(std::int64_t);
    f.moved_bytes = f.storage_bytes;
    if (static_cast<double>(on) < hdia::kLeastShare * static_cast<double>(a.nnz()))
        f.illegal = hdia::kNoDiagonals;
    return f;
}

template <class T, class P>
std::unique_ptr<Storage> HdiaFormat::convert(CsrView<T, P> a, const Params& params, int threads) {
    const int c = get(params, "c"), percent = get(params, "f");
    const index_t slices = slices_of(a.rows, c);
    auto out = std::make_unique<HdiaStorage<T>>();
    out->rows = a.rows;
    out->c = c;
    out->slice_ptr = Buffer<std::int64_t>(static_cast<std::size_t>(slices) + 1);
    out->run_ptr = Buffer<std::int64_t>(static_cast<std::size_t>(slices) + 1);
    out->slice_ptr[0] = out->run_ptr[0] = 0;
    Buffer<index_t> run_of(static_cast<std::size_t>(a.nnz()));
    const int team = resolve_threads(threads), chunk = chunk_of(slices, team, kMostSlices);
    const LongRowRule rule(a.nnz());
    std::vector<index_t> with_long_rows;
    std::mutex mutex;
    ExceptionCarrier carrier;
#pragma omp parallel num_threads(team)
    {
        SliceDiagonals slice;
#pragma omp for schedule(dynamic, chunk)
        for (index_t s = 0; s < slices; ++s)
            carrier.run([&] {
                slice.look(a, s * c, c, percent, rule, run_of.data() + a.row_ptr[s * c]);
                out->run_ptr[s + 1] = slice.runs();
                out->slice_ptr[s + 1] = (slice.runs() + slice.rest_width()) * c;
                if (slice.rows_beside() == 0) return;
                const std::lock_guard lock(mutex);
                with_long_rows.push_back(s);
            });
    }
    carrier.rethrow();
    std::sort(with_long_rows.begin(), with_long_rows.end());
    for (index_t s = 0; s < slices; ++s) {
        out->run_ptr[s + 1] += out->run_ptr[s];
        out->slice_ptr[s + 1] += out->slice_ptr[s];
    }
    const auto stored = static_cast<std::size_t>(out->slice_ptr[slices]);
    const auto runs = static_cast<std::size_t>(out->run_ptr[slices]);
    out->values = Buffer<T>(stored);
    out->start = Buffer<index_t>(runs);
    out->column = Buffer<index_t>(stored - runs * static_cast<std::size_t>(c));
    out->beside = rows_beside(a, with_long_rows, run_of.data(), *out);
#pragma omp parallel for schedule(dynamic, chunk) num_threads(team)
    for (index_t s = 0; s < slices; ++s) fill_slice(a, s, run_of.data(), *out);
    return out;
}

SPTUNE_INSTANTIATE_FORMAT(HdiaFormat)
}  // namespace sptune
