// Expand, sort, compress: all products with their positions, sorted by position, equal ones summed.
// The sort is stable and sums are taken in order, so results repeat to the bit.
#include "kernels/spgemm/device_spgemm.hpp"
#include "kernels/spgemm/esc/steps.cuh"
#include "kernels/spgemm/kernel_list.hpp"
#include "matrix/cuda/grid.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

namespace sptune {
namespace {

using namespace cuda;
using namespace esc;

/// CUB's two calls: ask for the scratch memory, then run. The last scratch is used again if it is
/// large enough. The others stay: memory is freed in the order of the default stream, while
/// `stream` may still use them.
template <class Run>
void with_scratch(std::vector<DeviceBuffer<char>>& scratch, cudaStream_t stream, Run run) {
    std::size_t bytes = 0;
    SPTUNE_CUDA(run(nullptr, bytes));
    if (scratch.empty() || bytes > scratch.back().size()) {
        scratch.emplace_back(bytes);
        allow_allocations(stream);
    }
    SPTUNE_CUDA(run(scratch.back().data(), bytes));
}

int bits_of(std::int64_t numbers) {
    return std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(numbers - 1, 1)));
}

/// Bytes for each product of a chunk: two keys and two values, and CUB's part.
template <class T>
constexpr std::uint64_t kProductBytes = 2 * (sizeof(Key) + sizeof(T)) + 1;

/// Asking how much memory there is takes longer than a small product.
constexpr std::uint64_t kUnasked = 256u << 20;

/// What is known before a chunk is chosen.
template <class T, class P>
std::uint64_t fixed_bytes(const SpgemmProblem<T, P>& problem) {
    return (static_cast<std::uint64_t>(problem.a.nnz()) + 1) * 8 +
           (static_cast<std::uint64_t>(problem.a.rows) + 1) * (8 + sizeof(P)) +
           (std::uint64_t{1} << 20);
}

template <class T, class P>
class EscProduct {
  public:
    EscProduct(const SpgemmProblem<T, P>& problem, const SpgemmOptions& options,
               cudaStream_t stream)
        : p_(problem), options_(options), stream_(stream), entries_(problem.a.nnz()) {}

    DeviceCsr<T, P> run() {
        count();
        row_ptr_ = DeviceBuffer<P>(static_cast<std::size_t>(p_.a.rows) + 1);
        column_bits_ = bits_of(p_.b.cols);
        const std::uint64_t fixed = fixed_bytes(p_);
        const std::uint64_t all = fixed + p_.products * kProductBytes<T>;
        const std::uint64_t needed = all + p_.upper_entries * (sizeof(T) + sizeof(index_t));
        std::uint64_t budget = options_.memory_bytes;
        if (needed > kUnasked) budget = std::min(budget, device_available_memory());
        if (needed <= budget) {
            chunk(0, p_.a.rows, 0, static_cast<std::int64_t>(p_.products));
        } else {
            // Half is for the parts of C and for putting them together.
            const auto most = static_cast<std::int64_t>((budget > fixed ? budget - fixed : 0) / 2 /
                                                        kProductBytes<T>);
            in_chunks(most, fixed);
        }
        return together();
    }

  private:
    struct Part {
        DeviceBuffer<index_t> col;
        DeviceBuffer<T> value;
    };

    /// Where the products of each entry of A begin.
    void count() {
        start_ = DeviceBuffer<std::int64_t>(static_cast<std::size_t>(entries_) + 1);
        allow_allocations(stream_);
        count_kernel<<<blocks_for(entries_, kBlock), kBlock, 0, stream_>>>(p_.a, p_.b, entries_,
                                                                           start_.data());
        SPTUNE_CUDA_LAUNCHED("count_kernel");
        with_scratch(scratch_, stream_, [&](void* scratch, std::size_t& bytes) {
            return cub::DeviceScan::ExclusiveSum(scratch, bytes, start_.data(), start_.data(),
                                                 entries_ + 1, stream_);
        });
    }

    void in_chunks(std::int64_t most, std::uint64_t fixed) {
        DeviceBuffer<std::int64_t> starts(static_cast<std::size_t>(p_.a.rows) + 1);
        allow_allocations(stream_);
        row_starts_kernel<<<blocks_for(std::int64_t{p_.a.rows} + 1, kBlock), kBlock, 0, stream_>>>(
            p_.a.row_ptr, p_.a.rows, start_.data(), starts.data());
        SPTUNE_CUDA_LAUNCHED("row_starts_kernel");
        std::vector<std::int64_t> at(starts.size());
        SPTUNE_CUDA(cudaMemcpyAsync(at.data(), starts.data(), starts.bytes(),
                                    cudaMemcpyDeviceToHost, stream_));
        SPTUNE_CUDA(cudaStreamSynchronize(stream_));
        for (index_t row = 0; row < p_.a.rows;) {
            const auto first = at.begin() + row;
            const auto last = std::upper_bound(first + 1, at.end(), *first + most) - 1;
            if (last == first)
                throw OutOfMemory(
                    "expanding a row of C",
                    fixed + 2 * static_cast<std::uint64_t>(first[1] - *first) * kProductBytes<T>);
            const auto next = static_cast<index_t>(last - at.begin());
            chunk(row, next, *first, *last);
            row = next;
        }
    }

    /// Rows [row, next) of C, whose products are [begin, end).
    void chunk(index_t row, index_t next, std::int64_t begin, std::int64_t end) {
        const std::int64_t size = end - begin;
        const auto places = static_cast<std::size_t>(size);
        DeviceBuffer<Key> key(places), other_key(places);
        DeviceBuffer<T> value(places), other_value(places);
        DeviceBuffer<std::int64_t> found(1);
        allow_allocations(stream_);
        std::int64_t runs = 0;
        cub::DoubleBuffer<Key> keys(key.data(), other_key.data());
        cub::DoubleBuffer<T> values(value.data(), other_value.data());
        if (size > 0) {
            expand_kernel<<<blocks_for(size, kBlock * kEach), kBlock, 0, stream_>>>(
                p_.a, p_.b, entries_, start_.data(), begin, end, row, column_bits_, key.data(),
                value.data());
            SPTUNE_CUDA_LAUNCHED("expand_kernel");
            const int bits = column_bits_ + bits_of(std::int64_t{next} - row);
            with_scratch(scratch_, stream_, [&](void* scratch, std::size_t& bytes) {
                return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, values, size, 0, bits,
                                                       stream_);
            });
            with_scratch(scratch_, stream_, [&](void* scratch, std::size_t& bytes) {
                return cub::DeviceSelect::If(
                    scratch, bytes, thrust::counting_iterator<std::int64_t>(0),
                    reinterpret_cast<std::int64_t*>(keys.Alternate()), found.data(), size,
                    BeginsRun{keys.Current()}, stream_);
            });
            SPTUNE_CUDA(cudaMemcpyAsync(&runs, found.data(), sizeof(runs), cudaMemcpyDeviceToHost,
                                        stream_));
            SPTUNE_CUDA(cudaStreamSynchronize(stream_));
        }
        require_countable<P>(static_cast<std::uint64_t>(done_ + runs));
        require_memory(entry_bytes(done_ + runs) +
                       static_cast<std::uint64_t>(size) * kProductBytes<T>);
        const auto* run = reinterpret_cast<const std::int64_t*>(keys.Alternate());
        row_ptr_kernel<<<blocks_for(std::int64_t{next} - row + 1, kBlock), kBlock, 0, stream_>>>(
            keys.Current(), run, runs, column_bits_, next - row, done_, row_ptr_.data() + row);
        SPTUNE_CUDA_LAUNCHED("row_ptr_kernel");
        if (runs > 0) {
            Part part{DeviceBuffer<index_t>(static_cast<std::size_t>(runs)),
                      DeviceBuffer<T>(static_cast<std::size_t>(runs))};
            allow_allocations(stream_);
            const int shift = std::clamp(
                static_cast<int>(std::bit_width(static_cast<std::uint64_t>(size / runs))) - 3, 0,
                5);
            compress_kernel<<<blocks_for(runs << shift, kBlock), kBlock, 0, stream_>>>(
                keys.Current(), values.Current(), size, run, runs, shift, column_bits_,
                part.col.data(), part.value.data());
            SPTUNE_CUDA_LAUNCHED("compress_kernel");
            parts_.push_back(std::move(part));
            done_ += runs;
        }
        SPTUNE_CUDA(cudaStreamSynchronize(stream_));  // before the memory goes
        scratch_.erase(scratch_.begin(), scratch_.end() - 1);
    }

    /// Of so many entries of C.
    static std::uint64_t entry_bytes(std::int64_t entries) {
        return static_cast<std::uint64_t>(entries) * (sizeof(T) + sizeof(index_t));
    }
    /// Throws OutOfMemory where these and what is always held pass what is allowed.
    void require_memory(std::uint64_t bytes) const {
        const std::uint64_t all = fixed_bytes(p_) + bytes;
        if (all > options_.memory_bytes) throw OutOfMemory("C, made in parts,", all);
    }

    /// The parts become C.
    DeviceCsr<T, P> together() {
        DeviceCsr<T, P> c;
        c.rows = p_.a.rows;
        c.cols = p_.b.cols;
        c.entries = static_cast<P>(done_);
        c.row_ptr = std::move(row_ptr_);
        if (parts_.size() == 1) {
            c.col_idx = std::move(parts_[0].col);
            c.values = std::move(parts_[0].value);
            return c;
        }
        require_memory(2 * entry_bytes(done_));
        c.col_idx = DeviceBuffer<index_t>(static_cast<std::size_t>(done_));
        c.values = DeviceBuffer<T>(static_cast<std::size_t>(done_));
        allow_allocations(stream_);
        std::size_t at = 0;
        for (const Part& part : parts_) {
            SPTUNE_CUDA(cudaMemcpyAsync(c.col_idx.data() + at, part.col.data(), part.col.bytes(),
                                        cudaMemcpyDeviceToDevice, stream_));
            SPTUNE_CUDA(cudaMemcpyAsync(c.values.data() + at, part.value.data(), part.value.bytes(),
                                        cudaMemcpyDeviceToDevice, stream_));
            at += part.col.size();
        }
        SPTUNE_CUDA(cudaStreamSynchronize(stream_));
        return c;
    }

    const SpgemmProblem<T, P>& p_;
    const SpgemmOptions& options_;
    cudaStream_t stream_;
    std::int64_t entries_;
    DeviceBuffer<std::int64_t> start_;
    std::vector<DeviceBuffer<char>> scratch_;  ///< not empty once the products are counted
    DeviceBuffer<P> row_ptr_;
    std::vector<Part> parts_;
    std::int64_t done_ = 0;
    int column_bits_ = 0;
};

template <class T, class P>
SpgemmFootprint inspect(const SpgemmProblem<T, P>& problem, const Params&) {
    SpgemmFootprint f;
    f.temporary_bytes = fixed_bytes(problem) + problem.products * kProductBytes<T>;
    return f;
}

template <class T, class P>
std::unique_ptr<Product<T, P>> multiply(const SpgemmProblem<T, P>& problem, const SpgemmOperands*,
                                        const Params&, const SpgemmOptions& options,
                                        SpgemmLaunch launch) {
    const cudaStream_t stream = stream_of(launch);
    DeviceCsr<T, P> c;
    if (problem.products == 0) {
        c = empty_product<T, P>(problem.a.rows, problem.b.cols, stream);
    } else {
        c = EscProduct<T, P>(problem, options, stream).run();
        if (options.drop_zeros) drop_zeros(c, stream, options.memory_bytes);
    }
    return std::make_unique<DeviceProduct<T, P>>(std::move(c));
}

template <class P, class T>
void add(SpgemmKernelList<T>& list) {
    add_spgemm_kernel<P>(list, Backend::cuda, "csr", "esc", {}, &inspect<T, P>, &multiply<T, P>);
}

}  // namespace

template <class T>
void add_esc_kernels(SpgemmKernelList<T>& list) {
    add<std::int32_t>(list);
    add<std::int64_t>(list);
}

template void add_esc_kernels(SpgemmKernelList<SPTUNE_VALUE>&);

}  // namespace sptune
