#include "features/cuda/features.hpp"
#include "features/cuda/sums.hpp"
#include "features/cuda/workspace.hpp"
#include "features/fingerprint.hpp"
#include "matrix/cuda/device.cuh"
#include "matrix/cuda/launch.hpp"

#include <algorithm>

#include <cub/block/block_reduce.cuh>

namespace sptune {
namespace cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kItems = 4;  ///< entries of a thread, at least: fewer blocks end sooner

/// All zero before and after each look.
struct alignas(16) Looked {
    count_t hash;
    unsigned longest, unreadable, blocks_done, unused[3];
};

template <class P>
__global__ void __launch_bounds__(kThreads)
    look_first(const P* row_ptr, const index_t* col_idx, index_t rows, index_t cols, P nnz,
               Looked* all, HostCopy copy) {
    using Sum = cub::BlockReduce<count_t, kThreads>;
    using Longest = cub::BlockReduce<unsigned, kThreads>;
    __shared__ union {
        typename Sum::TempStorage sum;
        typename Longest::TempStorage longest;
    } scratch;
    __shared__ bool last;
    wait_for_previous();
    const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kThreads;
    count_t hash = 0;
    unsigned longest = 0;
    bool readable = true;
#pragma unroll 8
    for (std::int64_t k = global_thread(); k < nnz; k += step) {
        const index_t column = stream_load(col_idx + k);
        readable &= static_cast<unsigned>(column) < static_cast<unsigned>(cols);
        hash += column_term(column, static_cast<std::uint64_t>(k + 1) * kColumnStep);
    }
#pragma unroll 4
    for (std::int64_t i = global_thread(); i <= rows; i += step) {
        const P begin = row_ptr[i], end = i < rows ? row_ptr[i + 1] : begin;
        hash += pointer_term(begin, i);
        readable &= begin >= 0 && begin <= end && end <= nnz;
        longest = max(longest, static_cast<unsigned>(end - begin));
    }
    hash = Sum(scratch.sum).Sum(hash);
    const bool all_readable = !__syncthreads_or(!readable);
    longest = Longest(scratch.longest).Reduce(longest, ::cuda::maximum<unsigned>{});
    if (threadIdx.x == 0) {
        atomicAdd(&all->hash, hash);
        atomicMax(&all->longest, longest);
        if (!all_readable) atomicOr(&all->unreadable, 1u);
        // The block that ends last sees what all have added.
        __threadfence();
        last = atomicAdd(&all->blocks_done, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last || threadIdx.x > 0) return;
    __threadfence();
    for (unsigned i = 0; i < copy.count; ++i) {
        copy.to[i] = __ldcg(copy.from + i);
        copy.from[i] = uint4{0, 0, 0, 0};
    }
    __threadfence_system();
    *static_cast<volatile unsigned*>(copy.done) = copy.ticket;
}

}  // namespace
}  // namespace cuda

template <class T, class P>
FirstLook first_look_on_device(CsrView<T, P> a) {
    using namespace cuda;
    if (a.rows == 0) return {finish_fingerprint(0, 0, a.cols, a.nnz()), 0, true};
    Places zeros;
    const auto at = zeros.reserve<Looked>(1);
    Workspace<Looked> space(zeros.size(), 0);
    auto* const there = space.zeros<Looked>(at);
    const std::int64_t nnz = a.nnz(), work = std::max(nnz, std::int64_t{a.rows} + 1);
    const unsigned blocks = std::min(blocks_for((work + kItems - 1) / kItems, kThreads),
                                     static_cast<unsigned>(8 * multiprocessors()));
    launch_early(look_first<P>, blocks, kThreads, nullptr, a.row_ptr, a.col_idx, a.rows, a.cols,
                 static_cast<P>(nnz), there, space.copy_of(there));
    const Looked found = space.wait();
    space.is_clean();
    return {finish_fingerprint(found.hash, a.rows, a.cols, nnz),
            static_cast<index_t>(found.longest), !found.unreadable};
}

template <class T, class P>
std::uint64_t fingerprint_on_device(CsrView<T, P> a) {
    return first_look_on_device(a).fingerprint;
}

#define SPTUNE_INSTANTIATE(T, P)                            \
    template FirstLook first_look_on_device(CsrView<T, P>); \
    template std::uint64_t fingerprint_on_device(CsrView<T, P>);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune
