// One block row of C = A·B after the other, for every way of finding the blocks that meet.
#pragma once

#include "kernels/spgemm/blocks.hpp"

#include <algorithm>
#include <vector>

#if defined(__x86_64__) && defined(__GNUC__)
#define SPTUNE_WIDE __attribute__((target("avx2,fma")))
#endif

namespace sptune::spgemm_cpu {

/// One row of C at a time stays in registers.
template <int M, class Math>
[[gnu::always_inline]] inline void multiply_add_body(const typename Math::Value* __restrict a,
                                                     const typename Math::Value* __restrict b,
                                                     typename Math::Sum* __restrict c) {
    for (int r = 0; r < M; ++r) {
        typename Math::Sum row[M];
        for (int j = 0; j < M; ++j) row[j] = c[r * M + j];
        for (int k = 0; k < M; ++k)
            for (int j = 0; j < M; ++j) row[j] = Math::add(row[j], a[r * M + k], b[k * M + j]);
        for (int j = 0; j < M; ++j) c[r * M + j] = row[j];
    }
}

/// C += A·B for three blocks.
template <class Math>
using MultiplyAdd = void (*)(const typename Math::Value*, const typename Math::Value*,
                             typename Math::Sum*);

template <int M, class Math>
void multiply_add(const typename Math::Value* a, const typename Math::Value* b,
                  typename Math::Sum* c) {
    multiply_add_body<M, Math>(a, b, c);
}
#ifdef SPTUNE_WIDE
template <int M, class Math>
SPTUNE_WIDE void multiply_add_wide(const typename Math::Value* a, const typename Math::Value* b,
                                   typename Math::Sum* c) {
    multiply_add_body<M, Math>(a, b, c);
}
#endif

/// The widest this CPU has.
template <int M, class Math>
MultiplyAdd<Math> best_multiply_add() {
#ifdef SPTUNE_WIDE
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &multiply_add_wide<M, Math>;
#endif
    return &multiply_add<M, Math>;
}

template <int M, class Math>
class BlockRowProduct {
  public:
    using Value = typename Math::Value;
    using Sum = typename Math::Sum;

    /// `columns` are those of b; needed unless the search is rowwise.
    BlockRowProduct(const BlockCsr<Value>& a, const BlockCsr<Value>& b, const BlockColumns* columns,
                    BlockSearch search, bool dense)
        : a_(a),
          b_(b),
          columns_(columns),
          search_(search),
          dense_(dense),
          multiply_add_(best_multiply_add<M, Math>()),
          slot_(static_cast<std::size_t>(b.block_cols()), -1) {
        if (dense) grow(slot_.size());
    }

    /// Block row i of C; with `values` false its pattern alone.
    void run(index_t i, bool values) {
        for (const index_t j : found_) slot_[static_cast<std::size_t>(j)] = -1;
        found_.clear();
        if (search_ == BlockSearch::rowwise)
            gather_rows(i, values);
        else
            intersect(i, values);
        std::sort(found_.begin(), found_.end());
    }

    /// Block columns of the row, increasing.
    const std::vector<index_t>& found() const { return found_; }
    const Sum* sums(index_t j) const {
        return sum_.data() + static_cast<std::size_t>(slot_[static_cast<std::size_t>(j)]) * M * M;
    }
    const std::uint32_t* pattern(index_t j) const {
        return pattern_.data() + static_cast<std::size_t>(slot_[static_cast<std::size_t>(j)]) * M;
    }

  private:
    void gather_rows(index_t i, bool values) {
        for (auto k = a_.ptr[static_cast<std::size_t>(i)];
             k < a_.ptr[static_cast<std::size_t>(i) + 1]; ++k) {
            const auto row = static_cast<std::size_t>(a_.col[static_cast<std::size_t>(k)]);
            for (auto l = b_.ptr[row]; l < b_.ptr[row + 1]; ++l)
                meet(k, l, b_.col[static_cast<std::size_t>(l)], values);
        }
    }

    void intersect(index_t i, bool values) {
        const std::int64_t a_begin = a_.ptr[static_cast<std::size_t>(i)],
                           a_end = a_.ptr[static_cast<std::size_t>(i) + 1];
        if (a_begin == a_end) return;
        for (index_t j = 0; j < b_.block_cols(); ++j) {
            const std::int64_t b_begin = columns_->ptr[static_cast<std::size_t>(j)],
                               b_end = columns_->ptr[static_cast<std::size_t>(j) + 1];
            const auto hit = [&](std::int64_t k, std::int64_t l) {
                meet(k, columns_->block[static_cast<std::size_t>(l)], j, values);
            };
            const index_t* in_a = a_.col.data();
            const index_t* in_b = columns_->row.data();
            if (search_ == BlockSearch::two_pointers)
                walk_both(in_a, a_begin, a_end, in_b, b_begin, b_end, hit);
            else if (a_end - a_begin <= b_end - b_begin)
                search_each(in_a, a_begin, a_end, in_b, b_begin, b_end, hit);
            else
                search_each(in_b, b_begin, b_end, in_a, a_begin, a_end,
                            [&](std::int64_t l, std::int64_t k) { hit(k, l); });
        }
    }

    template <class Hit>
    static void walk_both(const index_t* x, std::int64_t k, std::int64_t k_end, const index_t* y,
                          std::int64_t l, std::int64_t l_end, Hit hit) {
        while (k < k_end && l < l_end) {
            if (x[k] == y[l])
                hit(k++, l++);
            else if (x[k] < y[l])
                ++k;
            else
                ++l;
        }
    }
    template <class Hit>
    static void search_each(const index_t* few, std::int64_t k, std::int64_t k_end,
                            const index_t* many, std::int64_t l, std::int64_t l_end, Hit hit) {
        for (; k < k_end; ++k) {
            l = std::lower_bound(many + l, many + l_end, few[k]) - many;
            if (l == l_end) return;
            if (many[l] == few[k]) hit(k, l);
        }
    }

    /// Block k of A and block l of B meet in block column j of C.
    void meet(std::int64_t k, std::int64_t l, index_t j, bool values) {
        index_t& slot = slot_[static_cast<std::size_t>(j)];
        if (slot < 0) {
            slot = dense_ ? j : static_cast<index_t>(found_.size());
            found_.push_back(j);
            grow(static_cast<std::size_t>(slot) + 1);
            std::fill_n(pattern_.data() + static_cast<std::size_t>(slot) * M, M, 0u);
            std::fill_n(sum_.data() + static_cast<std::size_t>(slot) * M * M, M * M, Sum{0});
        }
        const auto at = static_cast<std::size_t>(slot);
        const std::uint32_t* rows_a = a_.pattern.data() + static_cast<std::size_t>(k) * M;
        const std::uint32_t* rows_b = b_.pattern.data() + static_cast<std::size_t>(l) * M;
        constexpr std::uint32_t kFull = (2u << (M - 1)) - 1;
        for (int r = 0; r < M; ++r) {
            std::uint32_t& row = pattern_[at * M + static_cast<std::size_t>(r)];
            for (std::uint32_t left = rows_a[r]; left && row != kFull; left &= left - 1)
                row |= rows_b[__builtin_ctz(left)];
        }
        if (values)
            multiply_add_(a_.values.data() + static_cast<std::size_t>(k) * M * M,
                          b_.values.data() + static_cast<std::size_t>(l) * M * M,
                          sum_.data() + at * M * M);
    }

    void grow(std::size_t blocks) {
        if (pattern_.size() >= blocks * M) return;
        pattern_.resize(std::min(std::max(blocks, 2 * pattern_.size() / M), slot_.size()) * M);
        sum_.resize(pattern_.size() * M);
    }

    const BlockCsr<Value>&a_, &b_;
    const BlockColumns* columns_;
    BlockSearch search_;
    bool dense_;
    MultiplyAdd<Math> multiply_add_;
    std::vector<index_t> slot_;  ///< of a block column, or -1
    std::vector<index_t> found_;
    std::vector<Sum> sum_;
    std::vector<std::uint32_t> pattern_;
};

}  // namespace sptune::spgemm_cpu
