#include "kernels/cuda/rows_of_entries.hpp"
#include "kernels/spgemm/blocks/product.cuh"
#include "kernels/spgemm/threepass/passes.hpp"
#include "matrix/cuda/check.hpp"
#include "matrix/cuda/grid.hpp"

#include <algorithm>

namespace sptune::cuda {
namespace {

template <int M, class V>
void launch(BlockWalk walk, const ProductView<V>& p) {
    constexpr int threads = kProductThreads<M>;
    if (walk == BlockWalk::rows) {
        rows_kernel<M><<<static_cast<unsigned>(p.a.block_rows), threads>>>(p);
    } else {
        const unsigned size = blocks_for(p.products, threads / (M * M));
        if (walk == BlockWalk::merge)
            intersect_kernel<M, false><<<size, threads>>>(p);
        else
            intersect_kernel<M, true><<<size, threads>>>(p);
    }
    SPTUNE_CUDA_LAUNCHED("a product of blocks");
}

template <class V>
CsrView<float, std::int64_t> pattern_view(const BlockMatrix<V>& a,
                                          const DeviceBuffer<float>& values) {
    return {a.block_rows(), a.block_cols(), a.row_ptr.data(),
            a.col.data(),   values.data(),  a.blocks()};
}

template <class N>
DeviceBuffer<N> copy_of(const N* from, std::int64_t size) {
    DeviceBuffer<N> to(static_cast<std::size_t>(size));
    if (size > 0)
        SPTUNE_CUDA(
            cudaMemcpyAsync(to.data(), from, to.bytes(), cudaMemcpyDeviceToDevice, nullptr));
    return to;
}

}  // namespace

template <class V>
BlockPattern pattern_of_product(const BlockMatrix<V>& a, const BlockMatrix<V>& b,
                                std::uint64_t memory_bytes) {
    DeviceBuffer<float> any(static_cast<std::size_t>(std::max(a.blocks(), b.blocks())));
    any.fill_bytes(0);
    SpgemmProblem<float, std::int64_t> problem;
    problem.a = pattern_view(a, any);
    problem.b = pattern_view(b, any);
    problem.products = a.blocks() > 0 && b.blocks() > 0;
    SpgemmOptions options;
    options.memory_bytes = memory_bytes - std::min<std::uint64_t>(memory_bytes, any.bytes());
    const auto product = multiply_threepass(problem,
                                            {{claim_rows::name, static_cast<int>(Claim::taken)},
                                             {table_reset::name, static_cast<int>(Reset::none)}},
                                            options, usual_passes<float>());
    const auto c = product->view();
    const auto blocks = static_cast<std::uint64_t>(c.nnz());
    const std::uint64_t twice =
        2 * (static_cast<std::uint64_t>(c.rows) + 1) * sizeof(std::int64_t) +
        blocks * (3 * sizeof(index_t) + sizeof(float));
    if (twice > options.memory_bytes) throw OutOfMemory("which blocks the product has", twice);
    BlockPattern p{copy_of(c.row_ptr, std::int64_t{c.rows} + 1),
                   DeviceBuffer<index_t>(static_cast<std::size_t>(c.nnz())),
                   copy_of(c.col_idx, c.nnz())};
    if (!p.row.empty()) rows_of_entries(p.row_ptr.data(), c.rows, c.nnz(), p.row.data());
    return p;
}

template <class V>
void multiply_blocks(BlockWalk walk, const BlockMatrix<V>& a, const BlockMatrix<V>& b,
                     const BlockColumns* by_columns, bool patterns, BlockTarget<V> target) {
    ProductView<V> p{};
    p.a = patterns ? a.pattern() : a.view();
    p.b = patterns ? b.pattern() : b.view();
    if (by_columns) {
        p.b_col_ptr = by_columns->col_ptr.data();
        p.b_row = by_columns->row.data();
        p.b_block = by_columns->block.data();
    }
    p.c = target.c;
    p.products = std::int64_t{a.block_rows()} * b.block_cols();
    std::int64_t entries = std::int64_t{a.rows} * b.cols;
    if (target.pattern) {
        p.c_row_ptr = target.pattern->row_ptr.data();
        p.c_row = target.pattern->row.data();
        p.c_col = target.pattern->col.data();
        p.products = static_cast<std::int64_t>(target.pattern->col.size());
        entries = p.products * a.m * a.m;
    }
    if (p.products == 0) return;
    if (walk == BlockWalk::rows)
        SPTUNE_CUDA(
            cudaMemsetAsync(p.c, 0, static_cast<std::size_t>(entries) * sizeof(V), nullptr));
    switch (a.m) {
        case 2:
            return launch<2>(walk, p);
        case 4:
            return launch<4>(walk, p);
        case 8:
            return launch<8>(walk, p);
        case 16:
            return launch<16>(walk, p);
        case 32:
            return launch<32>(walk, p);
        default:
            throw Error("blocks of " + std::to_string(a.m) + " x " + std::to_string(a.m) +
                        " are not multiplied; expected 2, 4, 8, 16 or 32");
    }
}

#define SPTUNE_INSTANTIATE(V)                                                              \
    template BlockPattern pattern_of_product(const BlockMatrix<V>&, const BlockMatrix<V>&, \
                                             std::uint64_t);                               \
    template void multiply_blocks(BlockWalk, const BlockMatrix<V>&, const BlockMatrix<V>&, \
                                  const BlockColumns*, bool, BlockTarget<V>);
SPTUNE_INSTANTIATE(float)
SPTUNE_INSTANTIATE(double)
SPTUNE_INSTANTIATE(std::uint32_t)

}  // namespace sptune::cuda
