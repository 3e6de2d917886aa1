#include "features/cuda/answers.cuh"
#include "features/cuda/features.hpp"
#include "features/fingerprint.hpp"
#include "matrix/cuda/device.cuh"
#include "matrix/cuda/launch.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <utility>

#include <cub/block/block_reduce.cuh>

namespace sptune {
namespace cuda {
namespace {

constexpr int kThreads = 512;
constexpr int kItems = 8, kPointers = 4;  ///< entries and rows of a thread, loaded at once
constexpr unsigned kUnreadable = 1u << 31;

struct Larger {
    __device__ unsigned operator()(unsigned a, unsigned b) const { return max(a, b); }
};

/// What one block has seen: the hash, and the longest row or kUnreadable.
using LookAnswers = Answers<3>;

template <class P>
__global__ void __launch_bounds__(kThreads)
    look_first(const P* row_ptr, const index_t* col_idx, index_t rows, index_t cols, P nnz,
               Questions<3> questions) {
    using Sum = cub::BlockReduce<std::uint64_t, kThreads>;
    using Longest = cub::BlockReduce<unsigned, kThreads>;
    __shared__ union {
        typename Sum::TempStorage sum;
        typename Longest::TempStorage longest;
    } scratch;
    wait_for_previous();
    const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * kThreads;
    std::uint64_t hash = 0;
    unsigned longest = 0;
    bool readable = true;
    // All that a thread of a small matrix needs is on its way at once.
    std::int64_t k = global_thread(), i = k;
    while (k < nnz || i <= rows) {
        index_t column[kItems];
        P begin[kPointers], end[kPointers];
#pragma unroll
        for (int n = 0; n < kItems; ++n)
            column[n] = k + n * threads < nnz ? stream_load(col_idx + k + n * threads) : 0;
#pragma unroll
        for (int n = 0; n < kPointers; ++n) {
            const std::int64_t at = i + n * threads;
            begin[n] = at <= rows ? row_ptr[at] : P{0};
            end[n] = at < rows ? row_ptr[at + 1] : begin[n];
        }
#pragma unroll
        for (int n = 0; n < kItems; ++n, k += threads) {
            if (k >= nnz) continue;
            readable &= static_cast<unsigned>(column[n]) < static_cast<unsigned>(cols);
            hash += column_term(column[n], static_cast<std::uint64_t>(k + 1) * kColumnStep);
        }
#pragma unroll
        for (int n = 0; n < kPointers; ++n, i += threads) {
            if (i > rows) continue;
            hash += pointer_term(begin[n], i);
            readable &= begin[n] >= 0 && begin[n] <= end[n] && end[n] <= nnz;
            readable &= (i > 0 || begin[n] == 0) && (i < rows || begin[n] == nnz);
            longest = max(longest, static_cast<unsigned>(end[n] - begin[n]));
        }
    }
    if (!readable) longest = kUnreadable;
    hash = Sum(scratch.sum).Sum(hash);
    __syncthreads();
    longest = Longest(scratch.longest).Reduce(longest, Larger{});
    if (threadIdx.x > 0) return;
    questions.answer(0, static_cast<unsigned>(hash));
    questions.answer(1, static_cast<unsigned>(hash >> 32));
    questions.answer(2, longest);
}

/// It is waited for in any case: A may go once it is gone.
template <class T, class P>
class Look final : public PendingLook {
  public:
    explicit Look(CsrView<T, P> a) : a_(a) {
        const std::int64_t nnz = a.nnz(), work = std::max(nnz, std::int64_t{a.rows} + 1);
        const unsigned blocks =
            std::min({blocks_for((work + kItems - 1) / kItems, kThreads),
                      static_cast<unsigned>(4 * multiprocessors()), LookAnswers::kMostBlocks});
        launch_early(look_first<P>, blocks, kThreads, nullptr, a.row_ptr, a.col_idx, a.rows, a.cols,
                     static_cast<P>(nnz), answers_.questions());
        blocks_ = blocks;
    }
    ~Look() override {
        try {
            wait();
        } catch (const std::exception&) {  // whoever uses the GPU next is told
        }
    }
    FirstLook wait() override {
        std::uint64_t hash = 0;
        unsigned longest = 0;
        const unsigned blocks = std::exchange(blocks_, 0);
        try {
            answers_.wait(blocks, [&](const std::array<unsigned, 3>& block) {
                hash += block[0] + (std::uint64_t{block[1]} << 32);
                longest = std::max(longest, block[2]);
            });
        } catch (...) {
            const BesideCaptures relaxed;
            static_cast<void>(cudaStreamSynchronize(nullptr));  // it may still go on
            throw;
        }
        return {finish_fingerprint(hash, a_.rows, a_.cols, a_.nnz()), static_cast<index_t>(longest),
                longest < kUnreadable};
    }

  private:
    CsrView<T, P> a_;
    LookAnswers answers_;
    unsigned blocks_ = 0;  ///< that have not been waited for
};

}  // namespace
}  // namespace cuda

template <class T, class P>
std::unique_ptr<PendingLook> begin_look_on_device(CsrView<T, P> a) {
    return std::make_unique<cuda::Look<T, P>>(a);
}

template <class T, class P>
FirstLook first_look_on_device(CsrView<T, P> a) {
    if (a.rows == 0) return {finish_fingerprint(0, 0, a.cols, a.nnz()), 0, true};
    return cuda::Look<T, P>(a).wait();
}

template <class T, class P>
std::uint64_t fingerprint_on_device(CsrView<T, P> a) {
    return first_look_on_device(a).fingerprint;
}

#define SPTUNE_INSTANTIATE(T, P)                                               \
    template std::unique_ptr<PendingLook> begin_look_on_device(CsrView<T, P>); \
    template FirstLook first_look_on_device(CsrView<T, P>);                    \
    template std::uint64_t fingerprint_on_device(CsrView<T, P>);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune
