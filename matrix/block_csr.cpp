#include "matrix/block_csr.hpp"

#include "matrix/error.hpp"
#include "matrix/memory.hpp"

#include <limits>

#include <fmt/format.h>

namespace sptune {

template <class T, class P, class V>
Csr<T, P> csr_of_blocks(const BlockCsr<V>& a) {
    const auto m = static_cast<std::size_t>(a.m);
    Csr<T, P> out{a.rows, a.cols, Buffer<P>(static_cast<std::size_t>(a.rows) + 1), {}, {}};
    // visit(column, value) for all of row i that is not 0.
    const auto for_row = [&](std::size_t i, auto visit) {
        for (auto k = static_cast<std::size_t>(a.ptr[i / m]);
             k < static_cast<std::size_t>(a.ptr[i / m + 1]); ++k)
            for (std::size_t c = 0; c < m; ++c)
                if (const V value = a.values[(k * m + i % m) * m + c]; value != V{0})
                    visit(static_cast<std::size_t>(a.col[k]) * m + c, value);
    };
    const auto rows = static_cast<std::size_t>(a.rows);
    std::uint64_t nnz = 0;
    out.row_ptr[0] = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        for_row(i, [&](std::size_t, V) { ++nnz; });
        out.row_ptr[i + 1] = static_cast<P>(nnz);
    }
    if (nnz > static_cast<std::uint64_t>(std::numeric_limits<P>::max()))
        throw Error(fmt::format("{} nonzeros are more than row pointers of this type count", nnz));
    require_memory("the matrix as CSR", nnz * (sizeof(T) + sizeof(index_t)));
    out.col_idx = Buffer<index_t>(nnz);
    out.values = Buffer<T>(nnz);
    std::size_t at = 0;
    for (std::size_t i = 0; i < rows; ++i)
        for_row(i, [&](std::size_t column, V value) {
            out.col_idx[at] = static_cast<index_t>(column);
            out.values[at++] = static_cast<T>(value);
        });
    return out;
}

#define SPTUNE_INSTANTIATE(V)                                             \
    template Csr<float, std::int32_t> csr_of_blocks(const BlockCsr<V>&);  \
    template Csr<float, std::int64_t> csr_of_blocks(const BlockCsr<V>&);  \
    template Csr<double, std::int32_t> csr_of_blocks(const BlockCsr<V>&); \
    template Csr<double, std::int64_t> csr_of_blocks(const BlockCsr<V>&);
SPTUNE_INSTANTIATE(float)
SPTUNE_INSTANTIATE(double)
SPTUNE_INSTANTIATE(std::uint32_t)
#undef SPTUNE_INSTANTIATE

}  // namespace sptune
