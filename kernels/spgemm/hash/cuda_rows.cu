// The kernels of hash SpGEMM.
#include "kernels/spgemm/hash/hash_rows.cuh"
#include "kernels/spgemm/hash/sort_rows.cuh"
#include "matrix/cuda/grid.hpp"
#include "matrix/cuda/per_device.hpp"

#include <algorithm>
#include <bit>
#include <mutex>

namespace sptune::cuda::hash {
namespace {

/// Rows of a class that this launch looks at.
template <class T, class P>
__device__ unsigned rows_of(const Job<T, P>& job, RowClass c) {
    const unsigned all = job.work.counters->listed[c];
    return (all + job.stride - 1) / job.stride;
}
template <class T, class P>
__device__ const index_t* list_of(const Job<T, P>& job, RowClass c) {
    return job.work.listed + std::int64_t{c} * job.a.rows;
}

/// Rows up to a warp each, the longest first.
template <Mode mode, class T, class P>
__global__ void __launch_bounds__(kLightBlock, 4) light_kernel(Job<T, P> job, int warp_bytes) {
    extern __shared__ uint4 memory[];
    char* const mine = reinterpret_cast<char*>(memory) + threadIdx.x / kWarp * warp_bytes;
    WarpTeam team;
    // Turns of a warp for each class, one after the other.
    const unsigned warp_rows = rows_of(job, kWarpRow);
    const unsigned n64 = job.work.counters->listed[kTiny64];
    const unsigned n32 = job.work.counters->listed[kTiny32];
    const unsigned n16 = job.work.counters->listed[kTiny16];
    const unsigned n8 = job.work.counters->listed[kTiny8];
    // Tiny rows are not sampled row by row: groups of them are.
    const unsigned step = static_cast<unsigned>(job.stride);
    const unsigned until64 = warp_rows + (n64 + step - 1) / step;
    const unsigned until32 = until64 + (n32 + step - 1) / step;
    const unsigned until16 = until32 + ((n16 + 1) / 2 + step - 1) / step;
    const unsigned until8 = until16 + ((n8 + 3) / 4 + step - 1) / step;
    const unsigned warps = gridDim.x * (kLightBlock / kWarp);
    for (unsigned turn = static_cast<unsigned>(global_thread() / kWarp); turn < until8;
         turn += warps) {
        if (turn < warp_rows)
            accumulate_row<mode>(team, job, list_of(job, kWarpRow)[turn * step], mine, warp_bytes);
        else if (turn < until64)
            sort_rows<mode, 32, 2>(job, list_of(job, kTiny64), n64, (turn - warp_rows) * step,
                                   team);
        else if (turn < until32)
            sort_rows<mode, 32, 1>(job, list_of(job, kTiny32), n32, (turn - until64) * step, team);
        else if (turn < until16)
            sort_rows<mode, 16, 1>(job, list_of(job, kTiny16), n16, (turn - until32) * step * 2,
                                   team);
        else
            sort_rows<mode, 8, 1>(job, list_of(job, kTiny8), n8, (turn - until16) * step * 4, team);
    }
    if (mode != Mode::write && team.thread() == 0) team.room.finish(job);
}

/// Rows of one class, a block each, taken as blocks get ready.
template <Mode mode, int Most, class T, class P>
__global__ void __launch_bounds__(Most, 1024 / Most)
    block_kernel(Job<T, P> job, RowClass c, int bytes) {
    extern __shared__ uint4 memory[];
    __shared__ BlockScratch scratch;
    BlockTeam<Most == kBigBlock> team{&scratch, {}};
    const unsigned count = rows_of(job, c);
    unsigned turn = blockIdx.x;
    while (turn < count) {
        unsigned next = 0;
        if (threadIdx.x == 0) next = gridDim.x + atomicAdd(&job.work.counters->claimed[c], 1u);
        accumulate_row<mode>(team, job, list_of(job, c)[turn * static_cast<unsigned>(job.stride)],
                             reinterpret_cast<char*>(memory), bytes);
        turn = static_cast<unsigned>(team.once([&] { return static_cast<long long>(next); }));
    }
    if (mode != Mode::write && threadIdx.x == 0) team.room.finish(job);
}

/// 2^shift threads copy a row.
template <class T, class P>
__global__ void __launch_bounds__(256)
    place_kernel(Job<T, P> packed, int shift, index_t* col, T* value) {
    const int width = 1 << shift, lane = threadIdx.x & (width - 1);
    const std::int64_t rows = (std::int64_t{gridDim.x} * blockDim.x) >> shift;
    for (std::int64_t row = global_thread() >> shift; row < packed.a.rows; row += rows) {
        const P to = packed.row_ptr[row], length = packed.row_ptr[row + 1] - to;
        if (length == 0) continue;
        const std::int64_t from = packed.place[row];
#pragma unroll 4
        for (P k = lane; k < length; k += width) {
            col[to + k] = stream_load(packed.col + from + k);
            value[to + k] = stream_load(packed.value + from + k);
        }
    }
}

/// Blocks that a multiprocessor holds at once.
int resident(int threads, int bytes) {
    constexpr int kMemory = 227 << 10, kSystem = 1 << 10;
    return std::max(1, std::min(2048 / threads, kMemory / (bytes + kSystem)));
}

/// Blocks for `pieces` of work that `each` of a block can hold at once.
unsigned enough(std::int64_t pieces, int each, int threads, int bytes) {
    return static_cast<unsigned>(std::min<std::int64_t>(
        (pieces + each - 1) / each, std::int64_t{multiprocessors()} * resident(threads, bytes)));
}

/// A kernel that may have that much shared memory, allowed once for each size that passes all
/// before it on that device. Threads take turns: a smaller size must not be set after a larger one.
template <auto kernel>
auto allowed(int bytes) {
    constexpr int kAlways = (48 << 10) - 1024;
    static PerDevice<int> allowed_on;
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    int& most = allowed_on.get([] { return kAlways; });
    if (bytes > most) {
        SPTUNE_CUDA(
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
        most = bytes;
    }
    return kernel;
}

}  // namespace

template <Mode mode, class T, class P>
void multiply_rows(const Job<T, P>& job, const TeamSizes& sizes, void* stream) {
    const auto s = static_cast<cudaStream_t>(stream);
    if (sizes.bigs) {
        const auto kernel = allowed<&block_kernel<mode, kBigBlock, T, P>>(sizes.big_bytes);
        kernel<<<enough(job.a.rows, 1, kBigBlock, sizes.big_bytes), kBigBlock, sizes.big_bytes,
                 s>>>(job, kBigRow, sizes.big_bytes);
        SPTUNE_CUDA_LAUNCHED("block_kernel for the longest rows");
    }
    if (sizes.blocks) {
        const auto kernel = allowed<&block_kernel<mode, 512, T, P>>(sizes.block_bytes);
        kernel<<<enough(job.a.rows, 1, sizes.block, sizes.block_bytes), sizes.block,
                 sizes.block_bytes, s>>>(job, kBlockRow, sizes.block_bytes);
        SPTUNE_CUDA_LAUNCHED("block_kernel");
    }
    const int bytes = sizes.warp_bytes * (kLightBlock / kWarp);
    const auto kernel = allowed<&light_kernel<mode, T, P>>(bytes);
    kernel<<<enough(job.a.rows, kLightBlock / kWarp, kLightBlock, bytes), kLightBlock, bytes, s>>>(
        job, sizes.warp_bytes);
    SPTUNE_CUDA_LAUNCHED("light_kernel");
}

template <class T, class P>
void place_rows(const Job<T, P>& packed, index_t* col, T* value, std::int64_t entries,
                void* stream) {
    const auto mean = static_cast<std::uint64_t>(entries / std::max<index_t>(packed.a.rows, 1));
    const int shift = std::clamp(static_cast<int>(std::bit_width(mean)) - 1, 2, 5);
    constexpr int kThreads = 256;
    place_kernel<<<enough(std::int64_t{packed.a.rows} << shift, kThreads, kThreads, 0), kThreads, 0,
                   static_cast<cudaStream_t>(stream)>>>(packed, shift, col, value);
    SPTUNE_CUDA_LAUNCHED("place_kernel");
}

using Value = SPTUNE_VALUE;
#define SPTUNE_INSTANTIATE(P)                                                                \
    template void multiply_rows<Mode::count>(const Job<Value, P>&, const TeamSizes&, void*); \
    template void multiply_rows<Mode::pack>(const Job<Value, P>&, const TeamSizes&, void*);  \
    template void multiply_rows<Mode::write>(const Job<Value, P>&, const TeamSizes&, void*); \
    template void place_rows(const Job<Value, P>&, index_t*, Value*, std::int64_t, void*);
SPTUNE_INSTANTIATE(std::int32_t)
SPTUNE_INSTANTIATE(std::int64_t)

}  // namespace sptune::cuda::hash
