#include "features/cuda/entries.cuh"
#include "features/cuda/rows.cuh"
#include "features/cuda/sample.hpp"
#include "features/cuda/sell.cuh"
#include "features/cuda/whole.hpp"
#include "matrix/cuda/launch.hpp"
#include "matrix/cuda/per_device.hpp"

#include <algorithm>

namespace sptune::cuda {
namespace {

constexpr int kThreads = kTileThreads;
static_assert(kThreads == rows::kThreads && kThreads == sell::kThreads);

/// How many blocks of threads look at what, one after the other.
struct Shares {
    unsigned entries;
    unsigned lengths;  ///< that each block of rows is asked for
    unsigned sell;
    unsigned rows;
};

template <class T, class P>
__global__ void __launch_bounds__(kThreads, 5)
    visit_whole(CsrView<T, P> a, std::int64_t nnz, Shares shares,
                const __grid_constant__ DeviceSample sample,
                const __grid_constant__ sell::Probes probes, unsigned* occupied,
                std::int64_t* long_rows, Sums* sums) {
    let_next_begin();
    unsigned block = blockIdx.x;
    if (block < shares.entries) {
        entries::visit_entries(a, nnz, block, shares.entries, occupied, sums);
    } else if (block -= shares.entries; block < shares.sell) {
        sell::visit_lengths(a.row_ptr, sample.unit_at(block / shares.lengths),
                            static_cast<int>(block % shares.lengths), probes, sums);
    } else {
        rows::visit_rows(a.row_ptr, a.rows, block - shares.sell, shares.rows, long_rows, sums);
    }
    end_after_previous();
}

}  // namespace

template <class T, class P>
void add_whole(CsrView<T, P> a, const SamplePlan& plan, unsigned* occupied, std::int64_t* long_rows,
               Sums* sums) {
    static PerDevice<int> of_device;
    const int resident = of_device.get([] {
        int blocks = 0;
        SPTUNE_CUDA(
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, visit_whole<T, P>, kThreads, 0));
        return blocks * multiprocessors();
    });
    const DeviceSample sample(plan.sell_blocks, plan.sell_block);
    Shares shares{};
    shares.entries =
        static_cast<unsigned>(std::min<std::int64_t>(tiles_of(a.rows, a.nnz()), resident));
    shares.lengths = sell::lengths_up_to(a.nnz());
    shares.sell = static_cast<unsigned>(sample.all_units()) * shares.lengths;
    shares.rows =
        std::min(blocks_for(a.rows, kThreads), static_cast<unsigned>(8 * multiprocessors()));
    launch_early(visit_whole<T, P>, shares.entries + shares.sell + shares.rows, kThreads, nullptr,
                 a, a.nnz(), shares, sample, sell::Probes(plan.sell_block), occupied, long_rows,
                 sums);
}

template void add_whole(CsrView<SPTUNE_VALUE, SPTUNE_POINTER>, const SamplePlan&, unsigned*,
                        std::int64_t*, Sums*);

}  // namespace sptune::cuda
