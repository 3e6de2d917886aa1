#include "kernels/spgemm/blocks.hpp"

#include "matrix/memory.hpp"
#include "matrix/parallel.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace sptune {
namespace {

/// The block columns of one block row after the other.
template <class T, class P>
class GridRow {
  public:
    GridRow(CsrView<T, P> a, int m)
        : a_(a), m_(m), last_(static_cast<std::size_t>((std::int64_t{a.cols} + m - 1) / m), -1) {}

    /// Unsorted.
    const std::vector<index_t>& columns(index_t block_row) {
        columns_.clear();
        for_entries(block_row, [&](int, index_t j, P) {
            index_t& last = last_[static_cast<std::size_t>(j / m_)];
            if (last == block_row) return;
            last = block_row;
            columns_.push_back(j / m_);
        });
        return columns_;
    }

    /// visit(row in block, column of A, position in A)
    template <class Visit>
    void for_entries(index_t block_row, Visit visit) const {
        const index_t first = block_row * m_;
        const auto last =
            static_cast<index_t>(std::min<std::int64_t>(std::int64_t{first} + m_, a_.rows));
        for (index_t i = first; i < last; ++i)
            for (P k = a_.row_ptr[i]; k < a_.row_ptr[i + 1]; ++k)
                visit(i - first, a_.col_idx[k], k);
    }

  private:
    CsrView<T, P> a_;
    int m_;
    std::vector<index_t> last_;  ///< block row that has used a block column last
    std::vector<index_t> columns_;
};

/// Each thread has memory for all block columns: no more of them than the entries are worth.
template <class T, class P>
int worthwhile_threads(CsrView<T, P> a, int m, int threads) {
    return static_cast<int>(std::clamp<std::int64_t>(
        static_cast<std::int64_t>(a.nnz()) / (a.cols / m + 1), 1, threads));
}

/// Block row i of `out`, whose ptr says where; `slot` has a place for every block column.
template <class T, class P>
void fill_block_row(CsrView<T, P> a, index_t i, GridRow<T, P>& row, std::vector<std::size_t>& slot,
                    BlockCsr<T>& out) {
    const int m = out.m;
    const auto size = static_cast<std::size_t>(m);
    const auto first = static_cast<std::size_t>(out.ptr[static_cast<std::size_t>(i)]);
    const auto& columns = row.columns(i);
    const std::size_t end = first + columns.size();
    std::copy(columns.begin(), columns.end(), out.col.data() + first);
    std::sort(out.col.data() + first, out.col.data() + end);
    std::fill(out.values.data() + first * size * size, out.values.data() + end * size * size, T{0});
    std::fill(out.pattern.data() + first * size, out.pattern.data() + end * size, 0u);
    for (std::size_t k = first; k < end; ++k) slot[static_cast<std::size_t>(out.col[k])] = k;
    row.for_entries(i, [&](int r, index_t j, P k) {
        const std::size_t at =
            slot[static_cast<std::size_t>(j / m)] * size + static_cast<std::size_t>(r);
        out.values[at * size + static_cast<std::size_t>(j % m)] += a.values[k];
        out.pattern[at] |= 1u << (j % m);
    });
}

}  // namespace

template <class T, class P>
Buffer<std::int64_t> count_grid_blocks(CsrView<T, P> a, int m, int threads) {
    const auto block_rows = static_cast<index_t>((std::int64_t{a.rows} + m - 1) / m);
    Buffer<std::int64_t> ptr(static_cast<std::size_t>(block_rows) + 1, 0);
    threads = worthwhile_threads(a, m, threads);
    ExceptionCarrier carrier;
#pragma omp parallel num_threads(threads)
    {
        std::optional<GridRow<T, P>> row;
        carrier.run([&] { row.emplace(a, m); });
#pragma omp for schedule(static)
        for (index_t i = 0; i < block_rows; ++i)
            if (row)
                carrier.run([&] {
                    ptr[static_cast<std::size_t>(i) + 1] =
                        static_cast<std::int64_t>(row->columns(i).size());
                });
    }
    carrier.rethrow();
    for (std::size_t i = 1; i < ptr.size(); ++i) ptr[i] += ptr[i - 1];
    return ptr;
}

template <class T, class P>
BlockCsr<T> to_blocks(CsrView<T, P> a, int m, int threads) {
    BlockCsr<T> out;
    out.m = m;
    out.rows = a.rows, out.cols = a.cols;
    out.ptr = count_grid_blocks(a, m, threads);
    const auto blocks = static_cast<std::size_t>(out.blocks()), size = static_cast<std::size_t>(m);
    require_memory("the blocks", blocks * (size * size * sizeof(T) + size * sizeof(std::uint32_t) +
                                           sizeof(index_t)));
    out.col = Buffer<index_t>(blocks);
    out.values = Buffer<T>(blocks * size * size);
    out.pattern = Buffer<std::uint32_t>(blocks * size);
    threads = worthwhile_threads(a, m, threads);
    ExceptionCarrier carrier;
#pragma omp parallel num_threads(threads)
    {
        std::optional<GridRow<T, P>> row;
        std::vector<std::size_t> slot;
        carrier.run([&] {
            slot.resize(static_cast<std::size_t>(out.block_cols()));
            row.emplace(a, m);
        });
#pragma omp for schedule(static)
        for (index_t i = 0; i < out.block_rows(); ++i)
            if (row) carrier.run([&] { fill_block_row(a, i, *row, slot, out); });
    }
    carrier.rethrow();
    return out;
}

template <class V>
BlockColumns columns_of(const BlockCsr<V>& b) {
    BlockColumns c;
    const auto blocks = static_cast<std::size_t>(b.blocks());
    c.ptr = Buffer<std::int64_t>(static_cast<std::size_t>(b.block_cols()) + 1, 0);
    c.row = Buffer<index_t>(blocks);
    c.block = Buffer<std::int64_t>(blocks);
    for (const index_t j : b.col) ++c.ptr[static_cast<std::size_t>(j) + 1];
    for (std::size_t j = 1; j < c.ptr.size(); ++j) c.ptr[j] += c.ptr[j - 1];
    std::vector<std::int64_t> at(c.ptr.begin(), c.ptr.end());
    for (index_t i = 0; i < b.block_rows(); ++i)
        for (std::int64_t k = b.ptr[static_cast<std::size_t>(i)];
             k < b.ptr[static_cast<std::size_t>(i) + 1]; ++k) {
            const auto j = static_cast<std::size_t>(b.col[static_cast<std::size_t>(k)]);
            const auto to = static_cast<std::size_t>(at[j]++);
            c.row[to] = i;
            c.block[to] = k;
        }
    return c;
}

#define SPTUNE_INSTANTIATE(T, P)                                              \
    template Buffer<std::int64_t> count_grid_blocks(CsrView<T, P>, int, int); \
    template BlockCsr<T> to_blocks(CsrView<T, P>, int, int);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)
template BlockColumns columns_of(const BlockCsr<float>&);
template BlockColumns columns_of(const BlockCsr<double>&);
template BlockColumns columns_of(const BlockCsr<std::uint32_t>&);

}  // namespace sptune
