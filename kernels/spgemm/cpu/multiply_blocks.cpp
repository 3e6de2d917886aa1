#include "kernels/parallel.hpp"
#include "kernels/spgemm/cpu/block_rows.hpp"
#include "kernels/with_constant.hpp"
#include "matrix/error.hpp"
#include "matrix/memory.hpp"
#include "matrix/parallel.hpp"

#include <memory>
#include <string>

namespace sptune {
namespace {

/// Calls use(std::integral_constant<int, m>).
template <class Use>
auto with_block_size(int m, Use use) {
    return with_constant<2, 4, 8, 16, 32>(m, use, [&] {
        return UsageError("blocks of " + std::to_string(m) + " × " + std::to_string(m) +
                          " cannot be multiplied; they can of 2, 4, 8, 16 and 32");
    });
}

/// Calls body(rows, i) for every block row, `rows` being the thread's BlockRowProduct.
template <int M, class Math, class Body>
void for_block_rows(const BlockCsr<typename Math::Value>& a,
                    const BlockCsr<typename Math::Value>& b, BlockSearch search, bool dense,
                    int threads, Body body) {
    if (a.m != b.m || a.cols != b.rows)
        throw UsageError("blocked matrices of different block size, or sizes that do not match");
    BlockColumns columns;
    if (search != BlockSearch::rowwise) columns = columns_of(b);
    ExceptionCarrier carrier;
#pragma omp parallel num_threads(resolve_threads(threads))
    {
        std::unique_ptr<spgemm_cpu::BlockRowProduct<M, Math>> rows;
        carrier.run([&] {
            rows = std::make_unique<spgemm_cpu::BlockRowProduct<M, Math>>(a, b, &columns, search,
                                                                          dense);
        });
#pragma omp for schedule(dynamic, 4)
        for (index_t i = 0; i < a.block_rows(); ++i)
            if (rows) carrier.run([&] { body(*rows, i); });
    }
    carrier.rethrow();
}

}  // namespace

template <class Math>
BlockCsr<typename Math::Value> multiply_blocks(const BlockCsr<typename Math::Value>& a,
                                               const BlockCsr<typename Math::Value>& b,
                                               BlockSearch search, bool dense, int threads) {
    using Value = typename Math::Value;
    return with_block_size(a.m, [&]<int M>(std::integral_constant<int, M>) {
        BlockCsr<Value> c;
        c.m = M;
        c.rows = a.rows, c.cols = b.cols;
        c.ptr = Buffer<std::int64_t>(static_cast<std::size_t>(c.block_rows()) + 1, 0);
        using Rows = spgemm_cpu::BlockRowProduct<M, Math>;
        for_block_rows<M, Math>(a, b, search, dense, threads, [&](Rows& rows, index_t i) {
            rows.run(i, false);
            c.ptr[static_cast<std::size_t>(i) + 1] = static_cast<std::int64_t>(rows.found().size());
        });
        for (std::size_t i = 1; i < c.ptr.size(); ++i) c.ptr[i] += c.ptr[i - 1];
        const auto blocks = static_cast<std::size_t>(c.blocks());
        require_memory("a product of blocks", blocks * (M * M * sizeof(Value) + M * 4 + 4));
        c.col = Buffer<index_t>(blocks);
        c.values = Buffer<Value>(blocks * M * M);
        c.pattern = Buffer<std::uint32_t>(blocks * M);
        for_block_rows<M, Math>(a, b, search, dense, threads, [&](Rows& rows, index_t i) {
            rows.run(i, true);
            auto at = static_cast<std::size_t>(c.ptr[static_cast<std::size_t>(i)]);
            for (const index_t j : rows.found()) {
                c.col[at] = j;
                std::copy_n(rows.pattern(j), M, c.pattern.data() + at * M);
                std::transform(rows.sums(j), rows.sums(j) + M * M, c.values.data() + at * M * M,
                               Math::finish);
                ++at;
            }
        });
        return c;
    });
}

template <class Math>
Buffer<typename Math::Value> multiply_blocks_dense(const BlockCsr<typename Math::Value>& a,
                                                   const BlockCsr<typename Math::Value>& b,
                                                   BlockSearch search, int threads) {
    using Value = typename Math::Value;
    return with_block_size(a.m, [&]<int M>(std::integral_constant<int, M>) {
        const auto rows_of_c = static_cast<std::size_t>(a.rows),
                   cols = static_cast<std::size_t>(b.cols);
        require_memory("a dense product", rows_of_c * cols * sizeof(Value));
        Buffer<Value> c(rows_of_c * cols);
        using Rows = spgemm_cpu::BlockRowProduct<M, Math>;
        for_block_rows<M, Math>(a, b, search, true, threads, [&](Rows& rows, index_t i) {
            rows.run(i, true);
            const std::size_t first = static_cast<std::size_t>(i) * M;
            const std::size_t last = std::min(first + M, rows_of_c);
            std::fill(c.data() + first * cols, c.data() + last * cols, Value{0});
            for (const index_t j : rows.found()) {
                const std::size_t left = static_cast<std::size_t>(j) * M;
                const std::size_t width = std::min<std::size_t>(M, cols - left);
                const auto* sums = rows.sums(j);
                for (std::size_t r = first; r < last; ++r, sums += M)
                    std::transform(sums, sums + width, c.data() + r * cols + left, Math::finish);
            }
        });
        return c;
    });
}

#define SPTUNE_INSTANTIATE(Math)                                                             \
    template BlockCsr<Math::Value> multiply_blocks<Math>(                                    \
        const BlockCsr<Math::Value>&, const BlockCsr<Math::Value>&, BlockSearch, bool, int); \
    template Buffer<Math::Value> multiply_blocks_dense<Math>(                                \
        const BlockCsr<Math::Value>&, const BlockCsr<Math::Value>&, BlockSearch, int);
SPTUNE_INSTANTIATE(PlainMath<float>)
SPTUNE_INSTANTIATE(PlainMath<double>)
SPTUNE_INSTANTIATE(SaturatingMath)
#undef SPTUNE_INSTANTIATE

}  // namespace sptune
