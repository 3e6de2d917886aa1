// The block products as SpGEMM kernels: any CSR pair is blocked first, which `prepare` does once.
#include "kernels/grid.hpp"
#include "kernels/spgemm/blocks/product.hpp"
#include "kernels/spgemm/blocks/tiles.hpp"
#include "kernels/spgemm/blocks/to_csr.hpp"
#include "kernels/spgemm/finish.hpp"
#include "kernels/spgemm/kernel_list.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace sptune::cuda {
namespace {

/// rows and columns of a block
struct block_side {
    static constexpr const char* name = "m";
};
/// 1: C is made of the blocks it has. 2: as a dense matrix first.
struct dense_output {
    static constexpr const char* name = "o";
};
constexpr int kDense = 2;
using Grid = grid<axis<block_side, 2, 4, 8, 16, 32>, axis<dense_output, 1, 2>>;
using TilesGrid = grid<axis<block_side, kTile>, axis<dense_output, kDense>>;

/// Where fewer of the places in blocks are used than one in kMostFill, and they are more than a
/// few, blocks are no use.
constexpr std::uint64_t kMostFill = 32, kSmallBytes = 64ull << 20;

/// Of a place, its value and whether it is stored.
template <class T>
constexpr std::uint64_t kPlaceBytes = 2 * sizeof(T);

/// For each entry of a matrix while its blocks are made: row, key and number, the latter two again
/// for sorting them, and how many blocks are before it.
constexpr std::uint64_t kSortedBytes = 44;

template <class T>
struct Operands final : SpgemmOperands {
    BlockMatrix<T> a, b;
    BlockColumns b_columns;
    std::uint64_t bytes() const override { return a.bytes() + b.bytes() + b_columns.bytes(); }
};

template <class T>
struct TileOperands final : SpgemmOperands {
    TileMatrix<T> a, b, a_stored, b_stored;
    std::uint64_t bytes() const override {
        return a.bytes() + b.bytes() + a_stored.bytes() + b_stored.bytes();
    }
};

template <class T, class P>
std::unique_ptr<SpgemmOperands> prepare(const SpgemmProblem<T, P>& problem, const Params& params,
                                        int) {
    const int m = get(params, block_side::name);
    auto s = std::make_unique<Operands<T>>();
    s->a = blocks_of(problem.a, m);
    s->b = blocks_of(problem.b, m);
    s->b_columns = columns_of(s->b);
    SPTUNE_CUDA(cudaStreamSynchronize(nullptr));
    return s;
}

template <class T, class P>
std::unique_ptr<SpgemmOperands> prepare_tiles(const SpgemmProblem<T, P>& problem, const Params&,
                                              int) {
    const BlockMatrix<T> a = blocks_of(problem.a, kTile), b = blocks_of(problem.b, kTile);
    auto s = std::make_unique<TileOperands<T>>();
    s->a = tiles_of(a, Side::left);
    s->b = tiles_of(b, Side::right);
    s->a_stored = tiles_of(a, Side::left, true);
    s->b_stored = tiles_of(b, Side::right, true);
    SPTUNE_CUDA(cudaStreamSynchronize(nullptr));
    return s;
}

template <class T, class P>
std::uint64_t places_of(CsrView<T, P> a, int m) {
    const auto side = static_cast<std::uint64_t>(m);
    const std::uint64_t all = (static_cast<std::uint64_t>(a.rows) / side + 1) *
                              (static_cast<std::uint64_t>(a.cols) / side + 1) * side * side;
    // Each entry in a block of its own, or every block: where that is little, there is no need to
    // know better.
    const std::uint64_t most = std::min(static_cast<std::uint64_t>(a.nnz()) * side * side, all);
    return most * kPlaceBytes<T> <= kSmallBytes
               ? most
               : static_cast<std::uint64_t>(count_blocks(a, m)) * side * side;
}

template <class T, class P>
SpgemmFootprint inspect(const SpgemmProblem<T, P>& problem, const Params& params) {
    const int m = get(params, block_side::name);
    const bool dense = get(params, dense_output::name) == kDense;
    const std::uint64_t there = device_available_memory();
    const auto entries =
        static_cast<std::uint64_t>(problem.a.nnz()) + static_cast<std::uint64_t>(problem.b.nnz());
    SpgemmFootprint f;
    f.temporary_bytes = kPlaceBytes<T> * (dense ? static_cast<std::uint64_t>(problem.a.rows) *
                                                      static_cast<std::uint64_t>(problem.b.cols)
                                                : problem.upper_entries);
    if (f.temporary_bytes > there) {
        f.illegal =
            fmt::format("a product of {} bytes, where the GPU has {}", f.temporary_bytes, there);
        return f;
    }
    const std::uint64_t places = places_of(problem.a, m) + places_of(problem.b, m);
    f.operand_bytes = places * kPlaceBytes<T>;
    f.prepare_bytes = kSortedBytes * static_cast<std::uint64_t>(
                                         std::max<std::int64_t>(problem.a.nnz(), problem.b.nnz()));
    if (f.operand_bytes > 2 * kSmallBytes && places > kMostFill * entries)
        f.wasteful =
            fmt::format("blocks of {0} x {0} have {1} places for {2} entries", m, places, entries);
    return f;
}

template <class T, class P>
SpgemmFootprint inspect_tiles(const SpgemmProblem<T, P>& problem, const Params& params) {
    if (tiles_work()) return inspect(problem, params);
    SpgemmFootprint f;
    f.illegal = "tiles need compute capability 9.0 or newer, and sptune compiled for it";
    return f;
}

/// Memory for a product, its values and what falls on them.
template <class T>
struct Target {
    DeviceBuffer<T> values, hits;
    std::uint64_t left;  ///< of the memory

    Target(std::uint64_t places, std::uint64_t memory) {
        const std::uint64_t bytes = places * kPlaceBytes<T>;
        if (bytes > memory) throw OutOfMemory("the product of blocks and its pattern", bytes);
        values = DeviceBuffer<T>(places);
        hits = DeviceBuffer<T>(places);
        left = memory - bytes;
    }
};

/// Lets `run(values, hits)` fill a product, dense without a pattern, and makes CSR of it.
template <class T, class P, class Run>
std::unique_ptr<Product<T, P>> collect(const SpgemmProblem<T, P>& problem, int m,
                                       const BlockPattern* pattern, const SpgemmOptions& options,
                                       Run run) {
    const index_t rows = problem.a.rows, cols = problem.b.cols;
    const std::uint64_t places =
        pattern ? pattern->col.size() * static_cast<std::uint64_t>(m * m)
                : static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(cols);
    DeviceCsr<T, P> c;
    {
        Target<T> target(places, memory_for(options));
        run(target.values.data(), target.hits.data());
        c = csr_of<T, P>(pattern, m, rows, cols, target.values.data(), target.hits.data(),
                         target.left);
    }
    return finish(std::move(c), true, options);
}

template <BlockWalk Walk, class T, class P>
std::unique_ptr<Product<T, P>> multiply(const SpgemmProblem<T, P>& problem,
                                        const SpgemmOperands* operands, const Params& params,
                                        const SpgemmOptions& options, SpgemmLaunch launch) {
    SPTUNE_CUDA(cudaStreamSynchronize(static_cast<cudaStream_t>(launch.stream)));
    if (problem.products == 0)
        return finish(empty_csr<T, P>(problem.a.rows, problem.b.cols), true, options);
    const auto& s = static_cast<const Operands<T>&>(*operands);
    BlockPattern pattern;
    SpgemmOptions beside = options;  // what is left beside the pattern
    const bool dense = get(params, dense_output::name) == kDense;
    if (!dense) {
        pattern = pattern_of_product(s.a, s.b, options.memory_bytes);
        beside.memory_bytes -= std::min(beside.memory_bytes, pattern.bytes());
    }
    const BlockPattern* const where = dense ? nullptr : &pattern;
    return collect(problem, s.a.m, where, beside, [&](T* values, T* hits) {
        multiply_blocks<T>(Walk, s.a, s.b, &s.b_columns, false, {where, values});
        multiply_blocks<T>(Walk, s.a, s.b, &s.b_columns, true, {where, hits});
    });
}

template <class T, class P>
std::unique_ptr<Product<T, P>> multiply_by_tiles(const SpgemmProblem<T, P>& problem,
                                                 const SpgemmOperands* operands, const Params&,
                                                 const SpgemmOptions& options,
                                                 SpgemmLaunch launch) {
    SPTUNE_CUDA(cudaStreamSynchronize(static_cast<cudaStream_t>(launch.stream)));
    if (problem.products == 0)
        return finish(empty_csr<T, P>(problem.a.rows, problem.b.cols), true, options);
    const auto& s = static_cast<const TileOperands<T>&>(*operands);
    return collect(problem, kTile, nullptr, options, [&](T* values, T* hits) {
        multiply_tiles(s.a, s.b, values);
        multiply_tiles(s.a_stored, s.b_stored, hits);
    });
}

template <class P, class T>
void add(SpgemmKernelList<T>& list, const char* algorithm, const Params& params,
         decltype(SpgemmKernel<T, P>::prepare) make, decltype(SpgemmKernel<T, P>::multiply) run) {
    const bool tiles = make == &prepare_tiles<T, P>;
    SpgemmKernel<T, P>& k =
        add_spgemm_kernel<P>(list, Backend::cuda, "bsr", algorithm, params,
                             tiles ? &inspect_tiles<T, P> : &inspect<T, P>, run);
    k.prepare = make;
    k.variant.layout =
        fmt::format("{}.m{}", tiles ? "tiles" : "bsr", get(params, block_side::name));
}

template <class P, class T>
void add_all(SpgemmKernelList<T>& list) {
    const auto walk = [&](const char* name, decltype(SpgemmKernel<T, P>::multiply) run) {
        for_each_point(Grid{},
                       [&](auto p) { add<P>(list, name, p.params(), &prepare<T, P>, run); });
    };
    walk("two-pointers", &multiply<BlockWalk::merge, T, P>);
    walk("binary", &multiply<BlockWalk::search, T, P>);
    walk("rowwise", &multiply<BlockWalk::rows, T, P>);
    for_each_point(TilesGrid{}, [&](auto p) {
        add<P>(list, "tiles", p.params(), &prepare_tiles<T, P>, &multiply_by_tiles<T, P>);
    });
}

}  // namespace
}  // namespace sptune::cuda

namespace sptune {

template <class T>
void add_blocks_kernels(SpgemmKernelList<T>& list) {
    cuda::add_all<std::int32_t>(list);
    cuda::add_all<std::int64_t>(list);
}

template void add_blocks_kernels(SpgemmKernelList<float>&);
template void add_blocks_kernels(SpgemmKernelList<double>&);

}  // namespace sptune
