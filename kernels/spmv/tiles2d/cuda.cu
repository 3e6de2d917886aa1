// Two-dimensional tiles on the GPU: as many blocks as multiprocessors. Several blocks may add to
// the same rows of y, atomically, so that rounding differs from call to call.
#include "kernels/cuda/axes.hpp"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/scale.cuh"
#include "kernels/kernel_list.hpp"
#include "kernels/spmv/hub/cuda_format.hpp"
#include "kernels/spmv/tiles2d/band_ring.cuh"
#include "matrix/cuda/per_device.hpp"

#include <cuda/ptx>

namespace sptune::cuda {
namespace {

template <class T>
struct Tiles2d {
    const PanelShare* share;
    const std::int32_t* share_ptr;
    const Band* tile;
    const std::int32_t *steps, *step_ptr;
    const std::uint32_t* code;
    const T* values;
    const index_t* slot_row;
    int panel, band;

    explicit Tiles2d(const Tiles2dStorage<T>& s)
        : share(s.share.data()),
          share_ptr(s.share_ptr.data()),
          tile(s.tile.data()),
          steps(s.steps.data()),
          step_ptr(s.step_ptr.data()),
          code(s.code.data()),
          values(s.values.data()),
          slot_row(s.slot_row.data()),
          panel(s.panel),
          band(s.band) {}
};

/// The next steps of a warp, and those that are on their way.
template <class T, int AtOnce>
class Steps {
  public:
    __device__ Steps(const Tiles2d<T>& a, std::int32_t first) {
        const std::int64_t at = std::int64_t{first} * kWarp + threadIdx.x % kWarp;
        next_code_ = a.code + at;
        next_value_ = a.values + at;
    }

    __device__ __forceinline__ void fetch(int count) {
#pragma unroll
        for (int u = 0; u < AtOnce; ++u)
            if (u < count) {
                fetched_code_[u] = stream_load(next_code_ + u * kWarp);
                fetched_value_[u] = stream_load(next_value_ + u * kWarp);
            }
        next_code_ += count * kWarp;
        next_value_ += count * kWarp;
    }
    /// Makes what was fetched the current steps.
    __device__ __forceinline__ void take() {
#pragma unroll
        for (int u = 0; u < AtOnce; ++u) code_[u] = fetched_code_[u], value_[u] = fetched_value_[u];
    }
    /// Adds the first `count` of the current steps, whose x is in `band`, to `slots`.
    template <bool All, bool SomeShare>
    __device__ __forceinline__ void add(int count, const T* band, T* slots) {
        using S = Tiles2dStorage<T>;
#pragma unroll
        for (int u = 0; u < AtOnce; ++u)
            if (All || u < count) value_[u] *= band[code_[u] & S::kColumn];
#pragma unroll
        for (int u = 0; u < AtOnce; ++u) {
            if (!All && u >= count) break;
            T* const slot = slots + (code_[u] >> S::kSlotShift);
            if (SomeShare && (code_[u] & S::kShares))
                atomicAdd(slot, value_[u]);
            else
                *slot += value_[u];
            __syncwarp();  // the next step may add to slots of other lanes
        }
    }

  private:
    const std::uint32_t* next_code_;
    const T* next_value_;
    std::uint32_t fetched_code_[AtOnce], code_[AtOnce];
    T fetched_value_[AtOnce], value_[AtOnce];
};

/// Adds α times the sums of a panel to y: all of them at once where rows have one slot each, which
/// are as many rows of y. By all threads of a block, which may use the slots again once all of them
/// have come back.
template <class T, int Block>
__device__ __forceinline__ void add_panel(const Tiles2d<T>& a, const PanelShare& share, T alpha,
                                          T* slots, T* y) {
    const int thread = static_cast<int>(threadIdx.x);
    int done = 0;
#if __CUDA_ARCH__ >= 900
    namespace ptx = ::cuda::ptx;
    constexpr int kAligned = 16 / sizeof(T), kWarps = Block / kWarp;
    T* const to = y + share.slot;
    if (!a.slot_row && reinterpret_cast<std::uintptr_t>(to) % (kAligned * sizeof(T)) == 0) {
        for (int i = thread; i < share.slots; i += Block) slots[i] *= alpha;
        alpha = T{1};
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        done = share.slots / kAligned * kAligned;
        const int part = (done / kAligned + kWarps - 1) / kWarps * kAligned,
                  begin = thread / kWarp * part, count = min(part, done - begin);
        if (thread % kWarp == 0 && count > 0) {
            ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, to + begin,
                                      slots + begin, static_cast<unsigned>(count * sizeof(T)));
            ptx::cp_async_bulk_commit_group();
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
        }
    }
#endif
    for (int i = done + thread; i < share.slots; i += Block)
        if (slots[i] != T{0}) {
            const index_t slot = share.slot + i;
            atomicAdd(y + (a.slot_row ? __ldg(a.slot_row + slot) : slot), alpha * slots[i]);
        }
}

template <class T, int Block>
__global__ void __launch_bounds__(Block)
    tiles2d_kernel(Tiles2d<T> a, T alpha, const T* __restrict__ x, T* __restrict__ y) {
    constexpr int kWarps = Block / kWarp;
    constexpr int kAtOnce = sizeof(T) == 4 && Block <= 512 ? 8 : 4;  // registers are few
    constexpr std::int32_t kSomeShare = Tiles2dStorage<T>::kSomeShare;
    extern __shared__ __align__(16) unsigned char memory[];
    __shared__ BandRingState ring;
    static_assert(sizeof(ring) <= kOwnSharedBytes / 2);
    T* const slots = reinterpret_cast<T*>(memory);
    const int warp = static_cast<int>(threadIdx.x) / kWarp;
    const std::int32_t first = a.share_ptr[blockIdx.x], last = a.share_ptr[blockIdx.x + 1];
    if (first == last) {
        wait_for_previous();
        return;
    }
    const std::int32_t first_tile = a.share[first].tile;
    const int tiles = a.share[last - 1].tile + a.share[last - 1].tiles - first_tile;
    BandRing<T, kWarps> bands(ring, slots + a.panel, a.band, x, a.tile + first_tile, tiles);

    int tile = 0;
    for (std::int32_t s = first; s < last; ++s) {
        const PanelShare share = a.share[s];
        for (int i = static_cast<int>(threadIdx.x); i < a.panel; i += Block) slots[i] = T{0};
        __syncthreads();
        const std::int32_t run = share.run + warp * share.tiles;
        Steps<T, kAtOnce> steps(a, a.step_ptr[run]);
        std::int32_t next = a.steps[run], left = next & ~kSomeShare;
        steps.fetch(min(left, kAtOnce));
        for (int t = 0; t < share.tiles; ++t, ++tile) {
            const bool some_share = next & kSomeShare;
            next = t + 1 < share.tiles ? a.steps[run + t + 1] : 0;
            const std::int32_t of_next = next & ~kSomeShare;
            if (left == 0) steps.fetch(min(of_next, kAtOnce));  // nobody else has
            const T* const band = bands.wait(tile);
            while (left > 0) {
                const int count = min(left, kAtOnce);
                left -= count;
                steps.take();
                steps.fetch(min(left > 0 ? left : of_next, kAtOnce));
                if (some_share)
                    steps.template add<false, true>(count, band, slots);
                else if (count == kAtOnce)
                    steps.template add<true, false>(count, band, slots);
                else
                    steps.template add<false, false>(count, band, slots);
            }
            bands.leave(tile);
            left = of_next;
        }
        __syncthreads();
        if (s == first) wait_for_previous();
        add_panel<T, Block>(a, share, alpha, slots, y);
        __syncthreads();
    }
}

template <class T, int Block>
void tiles2d(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const auto& s = static_cast<const Tiles2dStorage<T>&>(storage);
    if (s.rows == 0) return;
    const auto kernel = &tiles2d_kernel<T, Block>;
    const auto numbers =
        static_cast<std::size_t>(s.panel) +
        static_cast<std::size_t>(kBandsAtOnce) * static_cast<std::size_t>(band_pitch<T>(s.band));
    static PerDevice<bool> allowed;
    allowed.get([&] {
        SPTUNE_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         static_cast<int>(most_shared_bytes()) - kOwnSharedBytes));
        return true;
    });
    scale_in_order(s.rows, beta, y, launch);
    const LaunchShape shape{dim3(static_cast<unsigned>(s.blocks)), Block, numbers * sizeof(T)};
    launch_early(kernel, shape, stream_of(launch), Tiles2d<T>(s), alpha, x, y);
}

/// KiB of shared memory for a panel; bands have the rest.
struct panel_kib {
    static constexpr const char* name = "y";
};
using Layouts = grid<axis<panel_kib, 64, 96, 128>, axis<block, 512, 1024>>;

}  // namespace
}  // namespace sptune::cuda

namespace sptune {

void add_cuda_tiles2d_kernels(KernelList<SPTUNE_VALUE>& list) {
    using T = SPTUNE_VALUE;
    for_each_point(cuda::Layouts{}, [&]<class Point>(Point p) {
        constexpr int b = Point::template get<cuda::block>();
        add_kernel_for_all_indices<cuda::Tiles2dFormat, T>(list, "shared", p.params(), {},
                                                           &cuda::tiles2d<T, b>, false);
    });
}

}  // namespace sptune
