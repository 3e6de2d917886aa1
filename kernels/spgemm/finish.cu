#include "kernels/cuda/primitives.hpp"
#include "kernels/spgemm/device_spgemm.hpp"
#include "kernels/spgemm/finish.hpp"
#include "matrix/cuda/scratch.hpp"

#include <algorithm>
#include <limits>

#include <cub/device/device_segmented_sort.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

namespace sptune::cuda {
namespace {

/// Offsets of the rows of a piece, counted from where the piece begins. One type for both widths of
/// row pointers: CUB's sorts take a quarter of a minute to compile for each.
struct RowOffsets {
    const void* row_ptr;
    bool wide;
    std::int64_t begin;
    __host__ __device__ std::int64_t operator()(std::int64_t row) const {
        const std::int64_t at = wide ? static_cast<const std::int64_t*>(row_ptr)[row]
                                     : static_cast<const std::int32_t*>(row_ptr)[row];
        return at - begin;
    }
};

/// Bytes beside C that sorting one entry takes: the sorted copy and what CUB needs.
template <class T>
constexpr std::uint64_t kSortBytes = 2 * (sizeof(index_t) + sizeof(T));

template <class T, class P>
void sort_piece(DeviceCsr<T, P>& c, index_t first, index_t last, P begin, P end) {
    const auto size = static_cast<std::size_t>(end - begin);
    DeviceBuffer<index_t> columns(size);
    DeviceBuffer<T> values(size);
    const auto offsets = thrust::make_transform_iterator(
        thrust::make_counting_iterator(std::int64_t{first}),
        RowOffsets{c.row_ptr.data(), sizeof(P) == sizeof(std::int64_t), begin});
    index_t* const j = c.col_idx.data() + begin;
    T* const v = c.values.data() + begin;
    with_scratch([&](void* scratch, std::size_t& bytes) {
        return cub::DeviceSegmentedSort::SortPairs(
            scratch, bytes, j, columns.data(), v, values.data(), static_cast<std::int64_t>(size),
            static_cast<std::int64_t>(last) - first, offsets, offsets + 1);
    });
    if (size == c.col_idx.size()) {
        c.col_idx = std::move(columns);
        c.values = std::move(values);
        return;
    }
    SPTUNE_CUDA(
        cudaMemcpyAsync(j, columns.data(), columns.bytes(), cudaMemcpyDeviceToDevice, nullptr));
    SPTUNE_CUDA(
        cudaMemcpyAsync(v, values.data(), values.bytes(), cudaMemcpyDeviceToDevice, nullptr));
}

}  // namespace

template <class T, class P>
DeviceCsr<T, P> empty_csr(index_t rows, index_t cols) {
    DeviceCsr<T, P> c;
    c.rows = rows;
    c.cols = cols;
    c.row_ptr = DeviceBuffer<P>(static_cast<std::size_t>(rows) + 1);
    c.row_ptr.fill_bytes(0);
    return c;
}

template <class T, class P>
void allocate_rows(DeviceCsr<T, P>& c, std::uint64_t memory_bytes) {
    const auto entries = static_cast<std::uint64_t>(sum_of(c.row_ptr.data(), c.rows));
    require_countable<P>(entries);
    const std::uint64_t bytes = entries * (sizeof(index_t) + sizeof(T)) + c.row_ptr.bytes();
    if (bytes > memory_bytes) throw OutOfMemory("the product", bytes);
    c.entries = static_cast<P>(counts_to_pointers(c.row_ptr));
    c.col_idx = DeviceBuffer<index_t>(entries);
    c.values = DeviceBuffer<T>(entries);
}

template <class P>
std::vector<index_t> cut_rows(const P* row_ptr, index_t rows, std::int64_t capacity) {
    std::vector<P> at(static_cast<std::size_t>(rows) + 1);
    SPTUNE_CUDA(cudaMemcpy(at.data(), row_ptr, at.size() * sizeof(P), cudaMemcpyDeviceToHost));
    std::vector<index_t> cuts{0};
    for (index_t row = 0; row < rows;) {
        const std::int64_t limit = at[static_cast<std::size_t>(row)] + capacity;
        const auto end = std::upper_bound(at.begin() + row + 1, at.end(), limit);
        row = std::max(row + 1, static_cast<index_t>(end - at.begin()) - 1);
        cuts.push_back(row);
    }
    return cuts;
}

template <class T, class P>
void sort_columns(DeviceCsr<T, P>& c, std::uint64_t memory_bytes) {
    if (c.entries == 0) return;
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();  // of older CUBs
    const auto fit =
        static_cast<std::int64_t>(std::min<std::uint64_t>(memory_bytes / kSortBytes<T>, most));
    if (c.entries <= fit) return sort_piece(c, 0, c.rows, P{0}, c.entries);
    const std::vector<index_t> cuts = cut_rows(c.row_ptr.data(), c.rows, fit);
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
        const P begin = c.row_ptr.at(static_cast<std::size_t>(cuts[i]));
        const P end = c.row_ptr.at(static_cast<std::size_t>(cuts[i + 1]));
        if (end - begin > fit)
            throw OutOfMemory("sorting a row of the product",
                              static_cast<std::uint64_t>(end - begin) * kSortBytes<T>);
        if (end > begin) sort_piece(c, cuts[i], cuts[i + 1], begin, end);
    }
}

std::uint64_t memory_for(const SpgemmOptions& options) {
    return std::min(options.memory_bytes, device_available_memory());
}

template <class T, class P>
std::unique_ptr<Product<T, P>> finish(DeviceCsr<T, P> c, bool sorted,
                                      const SpgemmOptions& options) {
    if (options.drop_zeros) drop_zeros(c, nullptr, options.memory_bytes);
    if (options.sorted && !sorted) {
        const std::uint64_t own = c.row_ptr.bytes() + c.col_idx.bytes() + c.values.bytes();
        const std::uint64_t left =
            options.memory_bytes > own ? options.memory_bytes - own : std::uint64_t{0};
        sort_columns(c, std::min(left, device_available_memory()));
    }
    SPTUNE_CUDA(cudaStreamSynchronize(nullptr));
    return std::make_unique<DeviceProduct<T, P>>(std::move(c));
}

template std::vector<index_t> cut_rows(const std::int32_t*, index_t, std::int64_t);
template std::vector<index_t> cut_rows(const std::int64_t*, index_t, std::int64_t);

#define SPTUNE_INSTANTIATE(T, P)                                  \
    template DeviceCsr<T, P> empty_csr(index_t, index_t);         \
    template void allocate_rows(DeviceCsr<T, P>&, std::uint64_t); \
    template void sort_columns(DeviceCsr<T, P>&, std::uint64_t);  \
    template std::unique_ptr<Product<T, P>> finish(DeviceCsr<T, P>, bool, const SpgemmOptions&);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune::cuda
