#include "kernels/cuda/primitives.hpp"
#include "kernels/cuda/row_lengths.hpp"
#include "kernels/instantiate.hpp"
#include "kernels/spmv/ell/cuda_format.hpp"
#include "kernels/spmv/ell_fill.cuh"

#include <limits>

namespace sptune::cuda {
namespace {

constexpr int kThreads = 128;
constexpr index_t kSpan16 = 1 << 16;
constexpr char kTooWide[] = "a slice spans 65536 columns or more";

/// A block per slice: its smallest column, and how many columns it spans.
template <class P>
__global__ void find_spans(const P* row_ptr, const index_t* col_idx, index_t rows, index_t* base,
                           index_t* span) {
    __shared__ index_t lowest, highest;
    if (threadIdx.x == 0) lowest = std::numeric_limits<index_t>::max(), highest = -1;
    __syncthreads();
    const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kSlice;
    const std::int64_t last = min(first + kSlice, static_cast<std::int64_t>(rows));
    const std::int64_t end = row_ptr[last];
    index_t low = std::numeric_limits<index_t>::max(), high = -1;
#pragma unroll 4
    for (std::int64_t k = row_ptr[first] + static_cast<std::int64_t>(threadIdx.x); k < end;
         k += kThreads) {
        const index_t j = col_idx[k];
        low = min(low, j), high = max(high, j);
    }
    low = __reduce_min_sync(kFullMask, low), high = __reduce_max_sync(kFullMask, high);
    if (threadIdx.x % kWarp == 0) atomicMin(&lowest, low), atomicMax(&highest, high);
    __syncthreads();
    if (threadIdx.x != 0) return;
    base[blockIdx.x] = highest < 0 ? 0 : lowest;
    span[blockIdx.x] = highest < 0 ? 0 : highest - lowest;
}

struct Spans {
    DeviceBuffer<index_t> base;
    index_t widest = 0;  ///< largest column - smallest column of any slice
};

template <class T, class P>
Spans find_slice_spans(CsrView<T, P> a) {
    const auto slices = static_cast<std::size_t>(slices_of(a.rows));
    Spans s{DeviceBuffer<index_t>(slices)};
    if (slices == 0) return s;
    DeviceBuffer<index_t> span(slices);
    find_spans<<<static_cast<unsigned>(slices), kThreads>>>(a.row_ptr, a.col_idx, a.rows,
                                                            s.base.data(), span.data());
    SPTUNE_CUDA_LAUNCHED("find_spans");
    s.widest = max_of(span.data(), static_cast<std::int64_t>(slices));
    return s;
}

}  // namespace

template <class T, class P>
Footprint EllFormat::inspect(CsrView<T, P> a, const Features&, const Params& params) {
    const bool narrow = get(params, "x") == 16;
    const auto slices = static_cast<std::uint64_t>(slices_of(a.rows));
    const auto width = static_cast<std::uint64_t>(longest_row(a.row_ptr, a.rows));
    Footprint f;
    f.storage_bytes =
        slices * kSlice * width * (sizeof(T) + (narrow ? sizeof(std::uint16_t) : sizeof(index_t)));
    if (narrow) {
        f.storage_bytes += slices * sizeof(index_t);
        if (find_slice_spans(a).widest >= kSpan16) f.illegal = kTooWide;
    }
    f.moved_bytes = f.storage_bytes;
    return f;
}

template <class T, class P>
std::unique_ptr<Storage> EllFormat::convert(CsrView<T, P> a, const Params& params, int) {
    auto s = std::make_unique<EllStorage<T>>();
    s->rows = a.rows;
    s->cols = a.cols;
    s->width = longest_row(a.row_ptr, a.rows);
    s->pitch = slices_of(a.rows) * kSlice;
    const std::size_t stored = static_cast<std::size_t>(s->pitch) * s->width;
    s->values = DeviceBuffer<T>(stored);
    if (get(params, "x") == 16) {
        Spans spans = find_slice_spans(a);
        if (spans.widest >= kSpan16) throw Error(kTooWide);  // nobody had looked
        s->base = std::move(spans.base);
        s->offset = DeviceBuffer<std::uint16_t>(stored);
        fill_ell(a, EllFill<T, std::uint16_t>{s->values.data(), s->offset.data(), s->base.data(),
                                              s->pitch, s->width});
    } else {
        s->column = DeviceBuffer<index_t>(stored);
        fill_ell(a, EllFill<T, index_t>{s->values.data(), s->column.data(), nullptr, s->pitch,
                                        s->width});
    }
    SPTUNE_CUDA(cudaStreamSynchronize(nullptr));
    return s;
}

SPTUNE_INSTANTIATE_FORMAT(EllFormat)

}  // namespace sptune::cuda
