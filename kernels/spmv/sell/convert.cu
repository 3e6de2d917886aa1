#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/primitives.hpp"
#include "kernels/cuda/row_lengths.hpp"
#include "kernels/instantiate.hpp"
#include "kernels/spmv/row_order.cuh"
#include "kernels/spmv/sell/cuda_format.hpp"
#include "kernels/spmv/transpose_rows.cuh"

#include <limits>

namespace sptune::cuda {
namespace {

constexpr int kThreads = 256;
constexpr index_t kSpan16 = 1 << 16;
constexpr char kTooWide[] = "a slice spans 65536 columns or more";

/// Stored entries of each slice.
template <class P>
__global__ void count_slices(const P* row_ptr, const index_t* order, index_t rows, int c,
                             index_t slices, std::int64_t* count) {
    const std::int64_t s = global_thread();
    if (s >= slices) return;
    const std::int64_t first = s * c, last = min(first + c, static_cast<std::int64_t>(rows));
    std::int64_t longest = 0;
    for (std::int64_t k = first; k < last; ++k) {
        const index_t i = order ? order[k] : static_cast<index_t>(k);
        longest = max(longest, static_cast<std::int64_t>(row_ptr[i + 1] - row_ptr[i]));
        if (order) break;  // windows hold whole slices, so the first row is the longest
    }
    count[s] = longest * c;
}

/// A warp per slice: its smallest column; `wide` is raised where it spans 2^16 columns or more.
template <class P>
__global__ void find_bases(const P* row_ptr, const index_t* col_idx, const index_t* order,
                           index_t rows, int c, index_t slices, index_t* base, int* wide) {
    const std::int64_t s = global_thread() / kWarp;
    if (s >= slices) return;
    const int lane = static_cast<int>(threadIdx.x) % kWarp;
    index_t low = std::numeric_limits<index_t>::max(), high = 0;
    const std::int64_t last = min((s + 1) * c, static_cast<std::int64_t>(rows));
    for (std::int64_t k = s * c; k < last; ++k) {
        const index_t i = order ? order[k] : static_cast<index_t>(k);
        const P end = row_ptr[i + 1];
        for (P e = row_ptr[i] + lane; e < end; e += kWarp) {
            low = min(low, col_idx[e]);
            high = max(high, col_idx[e]);
        }
    }
    low = __reduce_min_sync(kFullMask, low), high = __reduce_max_sync(kFullMask, high);
    if (lane != 0) return;
    base[s] = min(low, high);
    if (high >= low && high - low >= kSpan16) *wide = 1;
}

/// `wide` is raised where a row alone spans 2^16 columns or more, by its first and last entry,
/// which lie furthest apart where columns are sorted.
template <class P>
__global__ void find_wide_rows(const P* row_ptr, const index_t* col_idx, index_t rows, int* wide) {
    const std::int64_t i = global_thread();
    if (i >= rows) return;
    const P begin = row_ptr[i], end = row_ptr[i + 1];
    if (begin < end && abs(col_idx[end - 1] - col_idx[begin]) >= kSpan16) *wide = 1;
}

struct Slices {
    DeviceBuffer<index_t> order;
    DeviceBuffer<std::int64_t> ptr;
    index_t count = 0;
    std::int64_t stored = 0;
};

template <class T, class P>
Slices cut_slices(CsrView<T, P> a, int c, int sigma) {
    Slices s;
    if (sigma != 1) s.order = order_rows(a.row_ptr, a.rows, sigma, longest_row(a.row_ptr, a.rows));
    s.count = static_cast<index_t>((std::int64_t{a.rows} + c - 1) / c);
    s.ptr = DeviceBuffer<std::int64_t>(static_cast<std::size_t>(s.count) + 1);
    if (s.count > 0) {
        count_slices<<<blocks_for(s.count, kThreads), kThreads>>>(a.row_ptr, s.order.data(), a.rows,
                                                                  c, s.count, s.ptr.data());
        SPTUNE_CUDA_LAUNCHED("count_slices");
    }
    s.stored = counts_to_pointers(s.ptr);
    return s;
}

/// Where the 16-bit columns of each slice begin; empty when a slice spans too many.
template <class T, class P>
DeviceBuffer<index_t> slice_bases(CsrView<T, P> a, const Slices& s, int c) {
    DeviceBuffer<index_t> base(static_cast<std::size_t>(s.count));
    if (a.cols <= kSpan16 || s.count == 0) {
        base.fill_bytes(0);
        return base;
    }
    DeviceBuffer<int> wide(1);
    wide.fill_bytes(0);
    find_bases<<<blocks_for(s.count, kThreads / kWarp), kThreads>>>(
        a.row_ptr, a.col_idx, s.order.data(), a.rows, c, s.count, base.data(), wide.data());
    SPTUNE_CUDA_LAUNCHED("find_bases");
    if (wide.at(0)) return {};
    return base;
}

/// Whether some row alone spans too much, whatever slice it comes to: far less to look at than all
/// slices.
template <class T, class P>
bool some_row_too_wide(CsrView<T, P> a) {
    if (a.cols <= kSpan16 || a.rows == 0) return false;
    DeviceBuffer<int> wide(1);
    wide.fill_bytes(0);
    find_wide_rows<<<blocks_for(a.rows, kThreads), kThreads>>>(a.row_ptr, a.col_idx, a.rows,
                                                               wide.data());
    SPTUNE_CUDA_LAUNCHED("find_wide_rows");
    return wide.at(0) != 0;
}

template <class T, class C>
struct SellFill {
    T* values;
    C* column;
    const index_t* base;  ///< nullptr for 32-bit columns
    const std::int64_t* slice_ptr;
    index_t slices;
    int c;

    __device__ index_t width_of(std::int64_t slice) const {
        return static_cast<index_t>((slice_ptr[slice + 1] - slice_ptr[slice]) / c);
    }
    /// The widest of the slices that these 32 stored rows belong to.
    __device__ index_t width(std::int64_t first, index_t) const {
        const std::int64_t last = min((first + kSlice - 1) / c, std::int64_t{slices} - 1);
        index_t widest = 0;
        for (std::int64_t s = first / c; s <= last; ++s) widest = max(widest, width_of(s));
        return widest;
    }
    __device__ void operator()(const RowEntry<T>& e) const {
        const std::int64_t s = e.place / c;
        if (s >= slices || e.j >= width_of(s)) return;
        const std::int64_t at = slice_ptr[s] + e.j * c + (e.place - s * c);
        values[at] = e.value;
        // Padding repeats a column that the row needs anyway.
        const index_t from = base ? base[s] : 0;
        column[at] = static_cast<C>(e.column < 0 ? 0 : e.column - from);
    }
};

template <class T, class P, class C>
void fill(CsrView<T, P> a, const Slices& s, const SellFill<T, C>& fill) {
    // The last rows of the last slice exist as padding alone.
    const std::int64_t groups = slices_of(static_cast<std::int64_t>(s.count) * fill.c);
    transpose_rows(a, s.order.empty() ? nullptr : s.order.data(), groups, 0,
                   std::numeric_limits<index_t>::max(), parts_for(groups), fill);
}

}  // namespace

template <class T, class P>
Footprint SellFormat::inspect(CsrView<T, P> a, const Features&, const Params& params) {
    const int c = get(params, "c"), bits = get(params, "x");
    Footprint f;
    if (bits == 16 && some_row_too_wide(a)) {
        f.illegal = kTooWide;
        return f;
    }
    const Slices s = cut_slices(a, c, get(params, "s"));
    f.storage_bytes = static_cast<std::uint64_t>(s.stored) * (sizeof(T) + bits / 8) +
                      s.ptr.bytes() + s.order.bytes() +
                      (bits == 16 ? static_cast<std::uint64_t>(s.count) * sizeof(index_t) : 0);
    f.moved_bytes = f.storage_bytes;
    if (bits == 16 && s.count > 0 && slice_bases(a, s, c).empty()) f.illegal = kTooWide;
    return f;
}

template <class T, class P>
std::unique_ptr<Storage> SellFormat::convert(CsrView<T, P> a, const Params& params, int) {
    const int c = get(params, "c"), bits = get(params, "x");
    Slices s = cut_slices(a, c, get(params, "s"));
    auto out = std::make_unique<SellStorage<T>>();
    out->rows = a.rows;
    out->cols = a.cols;
    out->slices = s.count;
    const auto stored = static_cast<std::size_t>(s.stored);
    out->values = DeviceBuffer<T>(stored);
    if (bits == 16) {
        out->base = slice_bases(a, s, c);
        if (s.count > 0 && out->base.empty()) throw Error(kTooWide);  // nobody had looked
        out->offset = DeviceBuffer<std::uint16_t>(stored);
        fill(a, s,
             SellFill<T, std::uint16_t>{out->values.data(), out->offset.data(), out->base.data(),
                                        s.ptr.data(), s.count, c});
    } else {
        out->column = DeviceBuffer<index_t>(stored);
        fill(a, s,
             SellFill<T, index_t>{out->values.data(), out->column.data(), nullptr, s.ptr.data(),
                                  s.count, c});
    }
    SPTUNE_CUDA(cudaStreamSynchronize(nullptr));
    out->slice_ptr = std::move(s.ptr);
    out->order = std::move(s.order);
    return out;
}

SPTUNE_INSTANTIATE_FORMAT(SellFormat)

}  // namespace sptune::cuda
