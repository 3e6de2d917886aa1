// The ladder's points: each kernel with its grid of block and tile, as SpGEMM kernels.
#include "kernels/cuda/axes.hpp"
#include "kernels/spgemm/kernel_list.hpp"
#include "kernels/spgemm/tiled/kernels.cuh"
#include "matrix/cuda/check.hpp"
#include "matrix/cuda/grid.hpp"

#include <algorithm>

namespace sptune::cuda {
namespace {

/// columns of C at a time
struct tile {
    static constexpr const char* name = "t";
};

/// The tile of a thread lies in local memory, of which the device sets as much aside as all threads
/// that can run at once would need: large tiles cost gigabytes.
using ThreadGrid = grid<axis<block, 64, 256>, axis<tile, 64, 512>>;
using BlockGrid = grid<axis<block, 128, 256>, axis<tile, 512, 2048>>;
using SearchGrid = grid<Blocks, axis<tile, 64, 128, 256, 512, 1024, 2048, 4096, 8192>>;

/// Shared memory that every block may have.
constexpr std::size_t kSharedBytes = 48 * 1024;

template <class T>
constexpr bool fits_shared(int columns) {
    constexpr std::size_t rest = 1024;  // counters, the scan, the offsets of the words
    return static_cast<std::size_t>(columns) * sizeof(T) + static_cast<std::size_t>(columns) / 4 +
               rest <=
           kSharedBytes;
}
static_assert(fits_shared<float>(8192) && fits_shared<double>(4096) && !fits_shared<double>(8192));

template <bool Hoisted>
struct OfThread {
    static constexpr bool deterministic = true;  // a thread adds up its row in one order
    static constexpr std::uint64_t side_by_side = 1;
    template <int Block, int Tile, class T, class P>
    static void run(const CsrView<T, P>& a, const CsrView<T, P>& b, index_t first, index_t last,
                    CooSink<T> c) {
        const unsigned size = blocks_for(last - first, Block);
        if constexpr (Hoisted)
            row_of_thread_hoisted<Tile><<<size, Block>>>(a.row_ptr, a.col_idx, a.values, b.row_ptr,
                                                         b.col_idx, b.values, first, last, c.row,
                                                         c.col, c.value, c.count);
        else
            row_of_thread<Tile><<<size, Block>>>(a, b, first, last, c);
        SPTUNE_CUDA_LAUNCHED("a thread per row");
    }
};

template <WriteBack How>
struct OfBlock {
    static constexpr bool deterministic = false;          // atomics add up in any order
    static constexpr std::uint64_t side_by_side = kWarp;  // at least, where the row is long
    template <int Block, int Tile, class T, class P>
    static void run(const CsrView<T, P>& a, const CsrView<T, P>& b, index_t first, index_t last,
                    CooSink<T> c) {
        row_of_block<How, Block, Tile><<<static_cast<unsigned>(last - first), Block>>>(
            a.row_ptr, a.col_idx, a.values, b.row_ptr, b.col_idx, b.values, first, c);
        SPTUNE_CUDA_LAUNCHED("a block per row");
    }
};

/// Calls visit(algorithm, Kernel{}, point) for every point of the ladder.
template <class T, class Visit>
void for_each_step(Visit visit) {
    for_each_point(ThreadGrid{}, [&](auto p) { visit("tiled0", OfThread<false>{}, p); });
    for_each_point(ThreadGrid{}, [&](auto p) { visit("tiled1", OfThread<true>{}, p); });
    for_each_point(BlockGrid{}, [&](auto p) { visit("tiled2", OfBlock<WriteBack::each>{}, p); });
    for_each_point(BlockGrid{}, [&](auto p) { visit("tiled3", OfBlock<WriteBack::batched>{}, p); });
    for_each_point(SearchGrid{}, [&]<class Point>(Point p) {
        if constexpr (fits_shared<T>(Point::template get<tile>()))
            visit("tiled4", OfBlock<WriteBack::counted>{}, p);
    });
    for_each_point(BlockGrid{},
                   [&](auto p) { visit("tiled-prefix", OfBlock<WriteBack::scanned>{}, p); });
}

/// Products that one thread may go through, those of other tiles included: about a tenth of a
/// second.
constexpr std::uint64_t kMostSteps = 1ull << 22;

template <class Kernel, class T, class P>
SpgemmFootprint inspect(const SpgemmProblem<T, P>& problem, const Params& params) {
    SpgemmFootprint f;
    f.temporary_bytes = problem.upper_entries * CooBuffer<T>::kBytes;
    const auto tiles = static_cast<std::uint64_t>(problem.b.cols / get(params, tile::name)) + 1;
    const std::uint64_t visits = std::min(problem.longest_row, tiles);
    const std::uint64_t steps = problem.longest_row / Kernel::side_by_side;
    if (visits > 0 && steps > kMostSteps / visits)
        f.illegal = "a thread would go through " + std::to_string(steps) + " products in each of " +
                    std::to_string(visits) + " tiles";
    return f;
}

template <class Kernel, int Block, int Tile, class T, class P>
std::unique_ptr<Product<T, P>> multiply(const SpgemmProblem<T, P>& problem, const SpgemmOperands*,
                                        const Params&, const SpgemmOptions& options,
                                        SpgemmLaunch launch) {
    // A and B may still be on their way; from here on all is in the default stream.
    SPTUNE_CUDA(cudaStreamSynchronize(static_cast<cudaStream_t>(launch.stream)));
    return multiply_tiled<T, P>(problem, options, &Kernel::template run<Block, Tile, T, P>);
}

}  // namespace

template <class T>
std::vector<LadderStep<T, std::int32_t>> ladder_steps() {
    std::vector<LadderStep<T, std::int32_t>> steps;
    for_each_step<T>([&]<class Kernel, class Point>(const char* name, Kernel, Point) {
        constexpr int b = Point::template get<block>(), t = Point::template get<tile>();
        steps.push_back({name, Point::params(), &Kernel::template run<b, t, T, std::int32_t>});
    });
    return steps;
}

template std::vector<LadderStep<SPTUNE_VALUE, std::int32_t>> ladder_steps();

}  // namespace sptune::cuda

namespace sptune {

template <class T>
void add_tiled_kernels(SpgemmKernelList<T>& list) {
    cuda::for_each_step<T>([&]<class Kernel, class Point>(const char* name, Kernel, Point) {
        constexpr int b = Point::template get<cuda::block>(), t = Point::template get<cuda::tile>();
        const auto add = [&]<class P>(P) {
            add_spgemm_kernel<P>(list, Backend::cuda, "csr", name, Point::params(),
                                 &cuda::inspect<Kernel, T, P>, &cuda::multiply<Kernel, b, t, T, P>)
                .variant.deterministic = Kernel::deterministic;
        };
        add(std::int32_t{});
        add(std::int64_t{});
    });
}

template void add_tiled_kernels(SpgemmKernelList<SPTUNE_VALUE>&);

}  // namespace sptune
