#include "kernels/cuda/primitives.hpp"
#include "kernels/cuda/sort.hpp"
#include "kernels/instantiate.hpp"
#include "kernels/spmv/entry_rows.cuh"
#include "kernels/spmv/hdia/cuda_format.hpp"
#include "kernels/spmv/hdia/grid.hpp"

namespace sptune::cuda {
namespace {

constexpr int kThreads = 256;
constexpr std::int32_t kOff = -1;

/// Sorts entries by slice, and in a slice by the column that their diagonal has in its first row;
/// that may lie left of the matrix by up to c.
struct DiagonalKey {
    index_t c;
    int low_bits;

    __host__ __device__ std::uint64_t operator()(index_t row, index_t column) const {
        return std::uint64_t{static_cast<std::uint32_t>(row / c)} << low_bits |
               static_cast<std::uint64_t>(std::int64_t{column} - row % c + c);
    }
    __device__ index_t slice(std::uint64_t key) const {
        return static_cast<index_t>(key >> low_bits);
    }
    __device__ std::int64_t start(std::uint64_t key) const {
        return static_cast<std::int64_t>(key & ((std::uint64_t{1} << low_bits) - 1)) - c;
    }
};

template <class P>
__global__ void __launch_bounds__(kEntryThreads)
    key_entries(const P* row_ptr, const index_t* col_idx, index_t rows, std::int64_t entries,
                DiagonalKey key_of, std::uint64_t* key, P* item) {
    for_entries_of_block(row_ptr, rows, entries, [&](index_t row, std::int64_t k, bool valid) {
        if (valid) key[k] = key_of(row, col_idx[k]), item[k] = static_cast<P>(k);
    });
}

__global__ void mark_first(const std::uint64_t* key, std::int64_t entries, std::uint8_t* first) {
    const std::int64_t k = global_thread();
    if (k < entries) first[k] = k == 0 || key[k] != key[k - 1];
}

/// Which diagonals of slices hold at least `percent` of c entries and read nothing outside of x.
/// Adds them to those of their slice and their entries to `on`.
__global__ void keep_diagonals(const std::uint64_t* key, std::int64_t entries,
                               const std::int64_t* first, std::int64_t diagonals,
                               DiagonalKey key_of, index_t cols, int percent, std::int32_t* kept,
                               std::int64_t* runs, unsigned long long* on) {
    const std::int64_t d = global_thread();
    std::int64_t held = 0;
    if (d < diagonals) {
        const std::int64_t count = (d + 1 < diagonals ? first[d + 1] : entries) - first[d];
        const std::uint64_t own = key[first[d]];
        const std::int64_t start = key_of.start(own);
        const bool keep = count * 100 >= std::int64_t{key_of.c} * percent && start >= 0 &&
                          start + key_of.c <= cols;
        kept[d] = keep;
        if (keep) {
            held = count;
            atomicAdd(reinterpret_cast<unsigned long long*>(runs + key_of.slice(own)), 1ull);
        }
    }
    held = group_sum<kWarp>(held);
    if (threadIdx.x % kWarp == 0 && held) atomicAdd(on, static_cast<unsigned long long>(held));
}

/// Tells every entry the number of its diagonal among the kept ones.
template <class P>
__global__ void number_entries(const P* item, std::int64_t entries, const std::int64_t* first,
                               std::int64_t diagonals, const std::int32_t* number,
                               std::int32_t* run_of) {
    const std::int64_t d = global_thread();
    if (d >= diagonals) return;
    const std::int64_t end = d + 1 < diagonals ? first[d + 1] : entries;
    const std::int32_t run = number[d + 1] > number[d] ? number[d] : kOff;
    for (std::int64_t k = first[d]; k < end; ++k) run_of[item[k]] = run;
}

__global__ void store_starts(const std::uint64_t* key, const std::int64_t* first,
                             std::int64_t diagonals, DiagonalKey key_of, const std::int32_t* number,
                             index_t* start) {
    const std::int64_t d = global_thread();
    if (d < diagonals && number[d + 1] > number[d])
        start[number[d]] = static_cast<index_t>(key_of.start(key[first[d]]));
}

constexpr int kRowLanes = 8;

/// Calls visit(k, run, before) for the entries of row i, eight lanes to a row: `before` of them
/// that are earlier lie off the diagonals. Returns how many do in all. All lanes take part.
template <class P, class Visit>
__device__ std::int64_t walk_row(const P* row_ptr, index_t rows, const std::int32_t* run_of,
                                 std::int64_t i, Visit visit) {
    const int lane = static_cast<int>(threadIdx.x % kRowLanes);
    const int shift = static_cast<int>(threadIdx.x % kWarp) - lane;
    std::int64_t begin = i < rows ? row_ptr[i] : 0, off = 0;
    const std::int64_t end = i < rows ? row_ptr[i + 1] : 0;
    for (; __any_sync(kFullMask, begin < end); begin += kRowLanes) {
        const std::int64_t k = begin + lane;
        const std::int32_t run = k < end ? run_of[k] : 0;
        const unsigned lanes =
            (__ballot_sync(kFullMask, k < end && run == kOff) >> shift) & ((1u << kRowLanes) - 1);
        if (k < end) visit(k, run, off + __popc(lanes & ((1u << lane) - 1)));
        off += __popc(lanes);
    }
    return off;
}

/// width[slice] = the most entries of a row that lie off its diagonals.
template <class P>
__global__ void measure_rest(const P* row_ptr, index_t rows, const std::int32_t* run_of, int c,
                             std::int64_t* width) {
    const std::int64_t i = global_thread() / kRowLanes;
    const std::int64_t off =
        walk_row(row_ptr, rows, run_of, i, [](std::int64_t, std::int32_t, std::int64_t) {});
    if (i < rows && off && threadIdx.x % kRowLanes == 0)
        atomicMax(reinterpret_cast<unsigned long long*>(width + i / c),
                  static_cast<unsigned long long>(off));
}

/// Turns the widths of the rests into stored values of whole slices.
__global__ void add_runs(const std::int64_t* runs, index_t slices, int c, std::int64_t* width) {
    const std::int64_t s = global_thread();
    if (s < slices) width[s] = (width[s] + runs[s]) * c;
}

/// Rows past the last one exist as padding alone.
template <class T, class P>
__global__ void fill_rows(CsrView<T, P> a, const std::int32_t* run_of, int c, index_t slices,
                          const std::int64_t* slice_ptr, const std::int64_t* run_ptr,
                          index_t* column, T* values) {
    const std::int64_t i = global_thread() / kRowLanes;
    const bool inside = i < std::int64_t{slices} * c;
    const std::int64_t s = inside ? i / c : 0, r = i - s * c;
    const std::int64_t begin = slice_ptr[s], first_run = run_ptr[s];
    const std::int64_t runs = run_ptr[s + 1] - first_run;
    const std::int64_t width = (slice_ptr[s + 1] - begin) / c - runs;
    T* const on = values + begin + r;
    T* const off = on + runs * c;
    index_t* const off_column = column + (begin - first_run * c) + r;
    const std::int64_t used =
        walk_row(a.row_ptr, a.rows, run_of, i, [&](std::int64_t k, std::int32_t run, auto before) {
            if (run != kOff) {
                atomicAdd(on + (run - first_run) * c, a.values[k]);  // may be there twice
            } else {
                off[before * c] = a.values[k];
                off_column[before * c] = a.col_idx[k];
            }
        });
    if (!inside) return;
    // Padding touches only entries of x that the row needs anyway.
    const index_t last = i < a.rows && a.row_ptr[i + 1] > a.row_ptr[i]
                             ? a.col_idx[a.row_ptr[i + 1] - 1]
                             : index_t{0};
    for (std::int64_t j = used + threadIdx.x % kRowLanes; j < width; j += kRowLanes)
        off_column[j * c] = last;
}

/// What the layout of a matrix looks like, and where its entries go.
struct Plan {
    index_t slices = 0;
    DeviceBuffer<std::int64_t> slice_ptr, run_ptr;
    DeviceBuffer<index_t> start;
    DeviceBuffer<std::int32_t> run_of;  ///< of each entry; kOff: on no kept diagonal
    std::int64_t stored = 0, runs = 0, on = 0;
};

template <class T, class P>
Plan plan_slices(CsrView<T, P> a, int c, int percent) {
    Plan p;
    p.slices = static_cast<index_t>((std::int64_t{a.rows} + c - 1) / c);
    p.slice_ptr = DeviceBuffer<std::int64_t>(static_cast<std::size_t>(p.slices) + 1);
    p.run_ptr = DeviceBuffer<std::int64_t>(static_cast<std::size_t>(p.slices) + 1);
    p.slice_ptr.fill_bytes(0);
    p.run_ptr.fill_bytes(0);
    const auto entries = static_cast<std::int64_t>(a.nnz());
    if (entries == 0) return p;

    const auto n = static_cast<std::size_t>(entries);
    const DiagonalKey key_of{c, bits_for(static_cast<std::uint64_t>(a.cols) + c)};
    DeviceBuffer<std::uint64_t> key(n);
    DeviceBuffer<P> item(n);
    DeviceBuffer<std::int64_t> first;
    key_entries<<<entry_blocks(entries), kEntryThreads>>>(a.row_ptr, a.col_idx, a.rows, entries,
                                                          key_of, key.data(), item.data());
    SPTUNE_CUDA_LAUNCHED("key_entries");
    sort_by_key(key, item, key_of.low_bits + bits_for(static_cast<std::uint64_t>(p.slices)));
    {
        DeviceBuffer<std::uint8_t> is_first(n);
        mark_first<<<blocks_for(entries, kThreads), kThreads>>>(key.data(), entries,
                                                                is_first.data());
        SPTUNE_CUDA_LAUNCHED("mark_first");
        first = positions_of(is_first.data(), entries);
    }
    const auto diagonals = static_cast<std::int64_t>(first.size());
    const unsigned blocks = blocks_for(diagonals, kThreads);
    DeviceBuffer<std::int32_t> number(first.size() + 1);
    DeviceBuffer<unsigned long long> on(1);
    on.fill_bytes(0);
    keep_diagonals<<<blocks, kThreads>>>(key.data(), entries, first.data(), diagonals, key_of,
                                         a.cols, percent, number.data(), p.run_ptr.data(),
                                         on.data());
    SPTUNE_CUDA_LAUNCHED("keep_diagonals");
    p.on = static_cast<std::int64_t>(on.at(0));
    p.runs = counts_to_pointers(number);
    p.run_of = DeviceBuffer<std::int32_t>(n);
    number_entries<<<blocks, kThreads>>>(item.data(), entries, first.data(), diagonals,
                                         number.data(), p.run_of.data());
    SPTUNE_CUDA_LAUNCHED("number_entries");
    p.start = DeviceBuffer<index_t>(static_cast<std::size_t>(p.runs));
    store_starts<<<blocks, kThreads>>>(key.data(), first.data(), diagonals, key_of, number.data(),
                                       p.start.data());
    SPTUNE_CUDA_LAUNCHED("store_starts");
    measure_rest<<<blocks_for(a.rows, kThreads / kRowLanes), kThreads>>>(
        a.row_ptr, a.rows, p.run_of.data(), c, p.slice_ptr.data());
    SPTUNE_CUDA_LAUNCHED("measure_rest");
    add_runs<<<blocks_for(p.slices, kThreads), kThreads>>>(p.run_ptr.data(), p.slices, c,
                                                           p.slice_ptr.data());
    SPTUNE_CUDA_LAUNCHED("add_runs");
    counts_to_pointers(p.run_ptr);
    p.stored = counts_to_pointers(p.slice_ptr);
    return p;
}

}  // namespace

template <class T, class P>
Footprint HdiaFormat::inspect(CsrView<T, P> a, const Features&, const Params& params) {
    const int c = get(params, "c");
    const Plan p = plan_slices(a, c, get(params, "f"));
    Footprint f;
    f.storage_bytes = static_cast<std::uint64_t>(p.stored) * sizeof(T) +
                      static_cast<std::uint64_t>(p.runs + p.stored - p.runs * c) * sizeof(index_t) +
                      p.slice_ptr.bytes() + p.run_ptr.bytes();
    f.moved_bytes = f.storage_bytes;
    if (static_cast<double>(p.on) < hdia::kLeastShare * static_cast<double>(a.nnz()))
        f.illegal = hdia::kNoDiagonals;
    return f;
}

template <class T, class P>
std::unique_ptr<Storage> HdiaFormat::convert(CsrView<T, P> a, const Params& params, int) {
    const int c = get(params, "c");
    Plan p = plan_slices(a, c, get(params, "f"));
    auto out = std::make_unique<HdiaStorage<T>>();
    out->rows = a.rows;
    out->cols = a.cols;
    out->slices = p.slices;
    out->values = DeviceBuffer<T>(static_cast<std::size_t>(p.stored));
    out->values.fill_bytes(0);
    out->column = DeviceBuffer<index_t>(static_cast<std::size_t>(p.stored - p.runs * c));
    if (p.stored > 0) {
        fill_rows<<<blocks_for(std::int64_t{p.slices} * c, kThreads / kRowLanes), kThreads>>>(
            a, p.run_of.data(), c, p.slices, p.slice_ptr.data(), p.run_ptr.data(),
            out->column.data(), out->values.data());
        SPTUNE_CUDA_LAUNCHED("fill_rows");
    }
    SPTUNE_CUDA(cudaStreamSynchronize(nullptr));
    out->slice_ptr = std::move(p.slice_ptr);
    out->run_ptr = std::move(p.run_ptr);
    out->start = std::move(p.start);
    return out;
}

SPTUNE_INSTANTIATE_FORMAT(HdiaFormat)

}  // namespace sptune::cuda
