#include "kernels/cuda/primitives.hpp"
#include "kernels/cuda/row_lengths.hpp"
#include "kernels/instantiate.hpp"
#include "kernels/spmv/dia/cuda_format.hpp"
#include "kernels/spmv/dia/diagonals.cuh"
#include "kernels/spmv/transpose_rows.cuh"

#include <limits>

namespace sptune::cuda {
namespace {

constexpr int kThreads = 256;

/// Adds to off[row] the entries of the row that lie on no kept diagonal.
template <class P>
__global__ void __launch_bounds__(kEntryThreads)
    count_rest(const P* row_ptr, const index_t* col_idx, index_t rows, std::int64_t entries,
               const index_t* slot, std::int32_t* off) {
    for_entries_of_block(row_ptr, rows, entries, [&](index_t row, std::int64_t k, bool valid) {
        const bool rest = valid && slot[diagonal_of(row, col_idx[k], rows)] < 0;
        const unsigned all = __ballot_sync(kFullMask, rest);
        if (all == 0) return;
        // Neighbouring lanes share rows: one of them adds for all.
        const unsigned mine = __match_any_sync(kFullMask, row) & all;
        if (rest && __ffs(static_cast<int>(mine)) - 1 == static_cast<int>(threadIdx.x % kWarp))
            atomicAdd(off + row, __popc(mine));
    });
}

struct Rest {
    DeviceBuffer<std::int32_t> count;  ///< rows + 1, the last one unused
    std::int32_t longest = 0;
};

template <class T, class P>
Rest count_rest_rows(CsrView<T, P> a, const Diagonals& chosen) {
    Rest rest{DeviceBuffer<std::int32_t>(static_cast<std::size_t>(a.rows) + 1)};
    rest.count.fill_bytes(0);
    const auto entries = static_cast<std::int64_t>(a.nnz());
    count_rest<<<entry_blocks(entries), kEntryThreads>>>(a.row_ptr, a.col_idx, a.rows, entries,
                                                         chosen.slot.data(), rest.count.data());
    SPTUNE_CUDA_LAUNCHED("count_rest");
    rest.longest = max_of(rest.count.data(), a.rows);
    return rest;
}

/// Adds every entry that lies on a kept diagonal to its place; entries may be there twice.
template <class T>
struct DiaFill {
    const index_t* slot;
    T* values;
    std::int64_t pitch;
    index_t rows;

    __device__ index_t width(std::int64_t, index_t longest) const { return longest; }
    __device__ void operator()(const RowEntry<T>& e) const {
        if (!e.valid) return;
        const index_t d = slot[diagonal_of(e.row, e.column, rows)];
        if (d >= 0) atomicAdd(values + std::int64_t{d} * pitch + e.row, e.value);
    }
};

constexpr int kRestLanes = 8;

/// Copies what lies on no kept diagonal, in the order of the row, eight lanes to a row.
template <class T, class P>
__global__ void fill_rest(CsrView<T, P> a, const index_t* slot, const std::int32_t* rest_ptr,
                          index_t* column, T* values) {
    const std::int64_t i = global_thread() / kRestLanes;
    const int lane = static_cast<int>(threadIdx.x % kRestLanes);
    const int shift = static_cast<int>(threadIdx.x % kWarp) - lane;
    std::int64_t begin = 0, end = 0;
    std::int32_t to = 0;
    if (i < a.rows && rest_ptr[i + 1] > rest_ptr[i])
        begin = a.row_ptr[i], end = a.row_ptr[i + 1], to = rest_ptr[i];
    for (; __any_sync(kFullMask, begin < end); begin += kRestLanes) {
        const std::int64_t k = begin + lane;
        const index_t j = k < end ? a.col_idx[k] : 0;
        const bool rest = k < end && slot[diagonal_of(static_cast<index_t>(i), j, a.rows)] < 0;
        const unsigned lanes = (__ballot_sync(kFullMask, rest) >> shift) & ((1u << kRestLanes) - 1);
        if (rest) {
            const std::int32_t at = to + __popc(lanes & ((1u << lane) - 1));
            column[at] = j;
            values[at] = a.values[k];
        }
        to += __popc(lanes);
    }
}

std::int64_t pitch_of(index_t rows) {
    return (std::int64_t{rows} + kDiaPitch - 1) / kDiaPitch * kDiaPitch;
}

template <class T>
std::uint64_t diagonal_bytes(std::int64_t diagonals, index_t rows) {
    return static_cast<std::uint64_t>(diagonals) *
           (static_cast<std::uint64_t>(pitch_of(rows)) * sizeof(T) + sizeof(index_t));
}

}  // namespace

template <class T, class P>
Footprint DiaFormat::inspect(CsrView<T, P> a, const Features& features, const Params& params) {
    const int percent = get(params, "f");
    Footprint f;
    if (percent == kAll) {
        f.storage_bytes = diagonal_bytes<T>(features.diagonals, a.rows);
        f.moved_bytes = f.storage_bytes;
        return f;
    }
    const Diagonals chosen = choose_diagonals(a, percent);
    const std::int64_t rest = static_cast<std::int64_t>(a.nnz()) - chosen.on;
    const std::uint64_t rest_ptr = (static_cast<std::uint64_t>(a.rows) + 1) * sizeof(std::int32_t);
    f.storage_bytes = diagonal_bytes<T>(chosen.kept, a.rows) + rest_ptr +
                      static_cast<std::uint64_t>(rest) * (sizeof(T) + sizeof(index_t));
    // Of 32 rows without a rest only one sector of the pointers is read.
    f.moved_bytes = f.storage_bytes - rest_ptr / 4 * 3;
    if (chosen.on == 0)
        f.illegal = "no diagonal is " + std::to_string(percent) + " % occupied";
    else if (rest == 0)
        f.illegal = "every entry lies on such a diagonal: the same as f" + to_string({{"", kAll}});
    else if (rest > std::numeric_limits<std::int32_t>::max())
        f.illegal = "2^31 entries or more lie off such diagonals";
    else if (const std::int32_t longest = count_rest_rows(a, chosen).longest;
             longest > kLongestRest)
        f.illegal = "a row has " + std::to_string(longest) + " entries off such diagonals";
    return f;
}

template <class T, class P>
std::unique_ptr<Storage> DiaFormat::convert(CsrView<T, P> a, const Params& params, int) {
    Diagonals chosen = choose_diagonals(a, get(params, "f"));
    auto s = std::make_unique<DiaStorage<T>>();
    s->rows = a.rows;
    s->cols = a.cols;
    s->pitch = pitch_of(a.rows);
    if (chosen.kept == 0) return s;
    s->values = DeviceBuffer<T>(static_cast<std::size_t>(chosen.kept * s->pitch));
    s->values.fill_bytes(0);
    const std::int64_t slices = slices_of(a.rows);
    transpose_rows(a, nullptr, slices, 0, longest_row(a.row_ptr, a.rows), parts_for(slices),
                   DiaFill<T>{chosen.slot.data(), s->values.data(), s->pitch, a.rows});
    if (chosen.on < static_cast<std::int64_t>(a.nnz())) {
        s->rest_ptr = count_rest_rows(a, chosen).count;
        s->rest_column =
            DeviceBuffer<index_t>(static_cast<std::size_t>(counts_to_pointers(s->rest_ptr)));
        s->rest_values = DeviceBuffer<T>(s->rest_column.size());
        fill_rest<<<blocks_for(a.rows, kThreads / kRestLanes), kThreads>>>(
            a, chosen.slot.data(), s->rest_ptr.data(), s->rest_column.data(),
            s->rest_values.data());
        SPTUNE_CUDA_LAUNCHED("fill_rest");
    }
    const auto few = static_cast<std::size_t>(std::min<std::int64_t>(chosen.kept, kFewDiagonals));
    SPTUNE_CUDA(
        cudaMemcpy(s->few, chosen.diagonal.data(), few * sizeof(index_t), cudaMemcpyDeviceToHost));
    s->lowest = s->few[0];
    s->highest = chosen.diagonal.at(chosen.diagonal.size() - 1);
    s->diagonal = std::move(chosen.diagonal);
    SPTUNE_CUDA(cudaStreamSynchronize(nullptr));
    return s;
}

SPTUNE_INSTANTIATE_FORMAT(DiaFormat)

}  // namespace sptune::cuda
