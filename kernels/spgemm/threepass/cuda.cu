// The kernels of the three-pass product for each block and team size.
#include "kernels/spgemm/kernel_list.hpp"
#include "kernels/spgemm/threepass/passes.hpp"
#include "kernels/spgemm/threepass/walk.cuh"
#include "matrix/cuda/check.hpp"

#include <algorithm>

namespace sptune::cuda {
namespace {

constexpr int kWholeBlock = kAll;

template <int Block, int Threads, class T, class P>
__global__ void __launch_bounds__(Block) count_pass(PassArguments<T, P> p) {
    using Mine = Team<Block, Threads>;
    __shared__ Stage<Block, T, P> stage;
    const int team = Mine::place(), rank = Mine::rank();
    P* const table = p.table + (std::int64_t{blockIdx.x} * Mine::kPerBlock + team) * p.b.cols;
    for_each_row<Mine>({p.next, p.a.rows}, stage, [&](index_t row) {
        // Without reset the mark is the number of the row, so that no other row takes it for its
        // own.
        const P mark = p.reset == Reset::none ? P{row} : P{0};
        if (p.reset == Reset::whole)
            for (index_t j = rank; j < p.b.cols; j += Threads) table[j] = P{-1};
        if (rank == 0) stage.count[team] = 0;
        int found = 0;
        for_each_product<Mine, Threads>(p.a, p.b, row, p.together, stage, [&](index_t j, T, P) {
            if (table[j] == mark) return;
            table[j] = mark;
            ++found;
        });
        Mine::sync();
        if (found) atomicAdd(&stage.count[team], found);
        if (p.reset == Reset::touched)
            for_each_product<Mine, Threads>(p.a, p.b, row, p.together, stage,
                                            [&](index_t j, T, P) { table[j] = P{-1}; });
        Mine::sync();
        if (rank == 0) p.row_ptr[row] = stage.count[team];
    });
}

template <int Block, int Threads, class T, class P>
__global__ void __launch_bounds__(Block) fill_pass(PassArguments<T, P> p) {
    using Mine = Team<Block, Threads>;
    __shared__ Stage<Block, T, P> stage;
    const int team = Mine::place(), rank = Mine::rank();
    P* const table = p.table + (std::int64_t{blockIdx.x} * Mine::kPerBlock + team) * p.b.cols;
    for_each_row<Mine>({p.next, p.a.rows}, stage, [&](index_t row) {
        const P begin = p.row_ptr[row], end = p.row_ptr[row + 1];
        if (p.reset == Reset::whole)
            for (index_t j = rank; j < p.b.cols; j += Threads) table[j] = P{-1};
        if (rank == 0) stage.count[team] = 0;
        for_each_product<Mine, Threads>(p.a, p.b, row, p.together, stage,
                                        [&](index_t j, T factor, P n) {
                                            const T product = factor * p.b.values[n];
                                            P place = table[j];
                                            // The table holds places in C's arrays; those of other
                                            // rows lie outside of this one.
                                            if (place >= begin && place < end) {
                                                p.value[place] += product;
                                            } else {
                                                place = begin + atomicAdd(&stage.count[team], 1);
                                                table[j] = place;
                                                p.col[place] = j;
                                                p.value[place] = product;
                                            }
                                        });
        if (p.reset == Reset::touched)
            for (P k = begin + rank; k < end; k += Threads) table[p.col[k]] = P{-1};
    });
}

template <int Block, int Threads, class T, class P>
Passes<T, P> passes_of() {
    return {Block, Block / Threads,
            [] {
                int blocks = 0;
                SPTUNE_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                    &blocks, fill_pass<Block, Threads, T, P>, Block, 0));
                return blocks;
            },
            [](const PassArguments<T, P>& p, unsigned blocks) {
                count_pass<Block, Threads><<<blocks, Block>>>(p);
                SPTUNE_CUDA_LAUNCHED("count_pass");
            },
            [](const PassArguments<T, P>& p, unsigned blocks) {
                fill_pass<Block, Threads><<<blocks, Block>>>(p);
                SPTUNE_CUDA_LAUNCHED("fill_pass");
            }};
}

template <class T, class P>
SpgemmFootprint inspect(const SpgemmProblem<T, P>& problem, const Params&) {
    SpgemmFootprint f;
    // The tables, and after them the copy that sorting makes of C.
    f.temporary_bytes =
        std::max<std::uint64_t>(kTableBytes / 8, problem.upper_entries * (4 + sizeof(T)));
    return f;
}

template <int Block, int Threads, class T, class P>
std::unique_ptr<Product<T, P>> multiply(const SpgemmProblem<T, P>& problem, const SpgemmOperands*,
                                        const Params& params, const SpgemmOptions& options,
                                        SpgemmLaunch launch) {
    // A and B may still be on their way; from here on all is in the default stream.
    SPTUNE_CUDA(cudaStreamSynchronize(static_cast<cudaStream_t>(launch.stream)));
    return multiply_threepass<T, P>(problem, params, options, passes_of<Block, Threads, T, P>());
}

using Grid = grid<axis<block, 128, 256>, axis<row_threads, 8, 32, kWholeBlock>,
                  axis<claim_rows, 1, 2>, axis<table_reset, 1, 2, 3>>;

/// Clearing whole tables is kept for comparison, as it was published: a block for each row.
template <class Point>
constexpr bool wanted() {
    return Point::template get<table_reset>() != static_cast<int>(Reset::whole) ||
           (Point::template get<block>() == 128 &&
            Point::template get<row_threads>() == kWholeBlock &&
            Point::template get<claim_rows>() == static_cast<int>(Claim::shared_out));
}

}  // namespace

template <class T>
Passes<T, std::int64_t> usual_passes() {
    return passes_of<128, kWarp, T, std::int64_t>();
}

template Passes<SPTUNE_VALUE, std::int64_t> usual_passes();

}  // namespace sptune::cuda

namespace sptune {

template <class T>
void add_threepass_kernels(SpgemmKernelList<T>& list) {
    for_each_point(cuda::Grid{}, [&]<class Point>(Point) {
        if constexpr (cuda::wanted<Point>()) {
            constexpr int b = Point::template get<cuda::block>();
            constexpr int asked = Point::template get<cuda::row_threads>();
            constexpr int t = asked == cuda::kWholeBlock ? b : asked;
            const auto add = [&]<class P>(P) {
                add_spgemm_kernel<P>(list, Backend::cuda, "csr", "threepass", Point::params(),
                                     &cuda::inspect<T, P>, &cuda::multiply<b, t, T, P>);
            };
            add(std::int32_t{});
            add(std::int64_t{});
        }
    });
}

template void add_threepass_kernels(SpgemmKernelList<SPTUNE_VALUE>&);

}  // namespace sptune
