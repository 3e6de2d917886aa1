// The instances of hash SpGEMM.
#include "kernels/cuda/axes.hpp"
#include "kernels/spgemm/device_spgemm.hpp"
#include "kernels/spgemm/hash/job.hpp"
#include "kernels/spgemm/hash/multiply.hpp"

#include <fmt/format.h>

namespace sptune {
namespace {

using namespace cuda;
using hash::Tuning;

/// 1: pack, then place; 2: count, then write
struct passes {
    static constexpr const char* name = "p";
};
/// what a row is accumulated in where both fit: 1 a bitmap, 2 a hash table
struct accumulator {
    static constexpr const char* name = "a";
};
/// most products of a row that a warp takes
struct warp_row {
    static constexpr const char* name = "w";
};
/// KiB of shared memory of a warp; 6: 32 warps on a multiprocessor
struct warp_memory {
    static constexpr const char* name = "s";
};
using Grid = grid<axis<passes, 1, 2>, axis<accumulator, 1, 2>, axis<warp_memory, 6, 12, 24>,
                  axis<warp_row, 256, 1024>, axis<block, 128, 256, 512>>;

Tuning tuning_of(const Params& params) {
    return {.pack = get(params, passes::name) == 1,
            .hash_first = get(params, accumulator::name) == 2,
            .warp_bytes = get(params, warp_memory::name) << 10,
            .warp_products = get(params, warp_row::name),
            .block = get(params, block::name)};
}

template <class T, class P>
SpgemmFootprint inspect(const SpgemmProblem<T, P>& problem, const Params& params) {
    const Tuning tuning = tuning_of(params);
    SpgemmFootprint f;
    f.temporary_bytes = hash::temporary_bytes(problem, tuning);
    const int needed = tuning.warp_bytes * (hash::kLightBlock / 32);
    if (needed > hash::shared_memory_limit())
        f.illegal = fmt::format("needs {} bytes of shared memory in a block, this GPU has {}",
                                needed, hash::shared_memory_limit());
    return f;
}

template <class T, class P>
std::unique_ptr<Product<T, P>> multiply(const SpgemmProblem<T, P>& problem, const SpgemmOperands*,
                                        const Params& params, const SpgemmOptions& options,
                                        SpgemmLaunch launch) {
    return std::make_unique<DeviceProduct<T, P>>(
        hash::multiply(problem, tuning_of(params), options, stream_of(launch)));
}

template <class P, class T>
void add(SpgemmKernelList<T>& list) {
    for_each_point(Grid{}, [&](auto point) {
        using Point = decltype(point);
        // Hash tables of many products would take long to sort.
        if (Point::template get<accumulator>() == 2 && Point::template get<warp_memory>() > 6)
            return;
        add_spgemm_kernel<P>(list, Backend::cuda, "csr", "hash", point.params(), &inspect<T, P>,
                             &multiply<T, P>)
            .variant.deterministic = false;  // sums are taken in the order of arrival
    });
    hash::add_split_kernels<T, P>(list);
}

}  // namespace

template <class T>
void add_hash_kernels(SpgemmKernelList<T>& list) {
    add<std::int32_t>(list);
    add<std::int64_t>(list);
}

template void add_hash_kernels(SpgemmKernelList<float>&);
template void add_hash_kernels(SpgemmKernelList<double>&);

}  // namespace sptune
