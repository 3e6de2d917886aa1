// One small hash table per row: for products that touch few of many columns.
// Source: Y. Nagasaka, S. Matsuoka, A. Azad, A. Buluç, "High-performance sparse matrix-matrix
// products on Intel KNL and multicore architectures", ICPP Workshops 2018.
#include "kernels/spgemm/cpu/rows.hpp"
#include "kernels/spgemm/cpu/sort.hpp"

#include <bit>
#include <string>

namespace sptune {
namespace {

template <class T, class P>
class HashRows {
  public:
    struct Shared {
        explicit Shared(const spgemm_cpu::Inputs<T, P>& in)
            : a(in.problem.a), b(in.problem.b), longest(longest_row(in.problem)) {}
        CsrView<T, P> a, b;
        std::uint64_t longest;
    };
    static std::uint64_t shared_bytes(const SpgemmProblem<T, P>&) { return 0; }
    static std::uint64_t bytes(const SpgemmProblem<T, P>& p) {
        return table_size(longest_row(p)) * (sizeof(T) + sizeof(index_t)) +
               2 * longest_row(p) * sizeof(std::uint64_t);
    }
    static std::string illegal(const SpgemmProblem<T, P>&) { return {}; }

    explicit HashRows(const Shared& s)
        : a_(s.a),
          b_(s.b),
          key_(table_size(s.longest), kEmpty),
          sum_(key_.size()),
          used_(s.longest),
          scratch_(s.longest) {}

    index_t count(index_t i) {
        const std::uint32_t n = run(i, [](std::uint32_t, bool, T, T) {});
        clear(n);
        return static_cast<index_t>(n);
    }

    index_t compute(index_t i, bool sorted, index_t* cols, T* values) {
        const std::uint32_t n = run(i, [&](std::uint32_t slot, bool fresh, T a, T b) {
            sum_[slot] = fresh ? a * b : sum_[slot] + a * b;
        });
        if (sorted) sort_columns(used_.data(), scratch_.data(), n, b_.cols);
        for (std::uint32_t k = 0; k < n; ++k) {
            cols[k] = column_of(used_[k]);
            values[k] = sum_[position_of(used_[k])];
        }
        clear(n);
        return static_cast<index_t>(n);
    }

  private:
    static constexpr index_t kEmpty = -1;

    static std::uint64_t longest_row(const SpgemmProblem<T, P>& p) {
        return std::min(p.longest_row, static_cast<std::uint64_t>(p.b.cols));
    }
    /// Never more than half full.
    static std::uint64_t table_size(std::uint64_t entries) {
        return std::bit_ceil(2 * std::max<std::uint64_t>(entries, 4));
    }

    /// Calls visit(slot, fresh, a, b) for every product; returns the number of columns, whose keys
    /// are in used_.
    template <class Visit>
    std::uint32_t run(index_t i, Visit visit) {
        std::uint64_t products = 0;
        for (P k = a_.row_ptr[i]; k < a_.row_ptr[i + 1]; ++k)
            products += static_cast<std::uint64_t>(b_.row_ptr[a_.col_idx[k] + 1] -
                                                   b_.row_ptr[a_.col_idx[k]]);
        // A table as small as the row allows stays in the nearest cache.
        const std::uint64_t size =
            std::min<std::uint64_t>(table_size(products), static_cast<std::uint64_t>(key_.size()));
        const auto mask = static_cast<std::uint32_t>(size - 1);
        const int shift = 32 - std::countr_zero(size);
        std::uint32_t n = 0;
        for (P k = a_.row_ptr[i]; k < a_.row_ptr[i + 1]; ++k) {
            const index_t row = a_.col_idx[k];
            const T value = a_.values[k];
            for (P l = b_.row_ptr[row]; l < b_.row_ptr[row + 1]; ++l) {
                const index_t column = b_.col_idx[l];
                // The upper bits: those below are alike where all columns are multiples of one
                // power of two, as those of Kronecker products and of many grids are.
                std::uint32_t slot = (static_cast<std::uint32_t>(column) * 0x9e3779b1u) >> shift;
                while (key_[slot] != column && key_[slot] != kEmpty) slot = (slot + 1) & mask;
                const bool fresh = key_[slot] == kEmpty;
                if (fresh) {
                    key_[slot] = column;
                    used_[n++] = column_key(column, slot);
                }
                visit(slot, fresh, value, b_.values[l]);
            }
        }
        return n;
    }

    void clear(std::uint32_t n) {
        for (std::uint32_t k = 0; k < n; ++k) key_[position_of(used_[k])] = kEmpty;
    }

    CsrView<T, P> a_, b_;
    Buffer<index_t> key_;
    Buffer<T> sum_;
    Buffer<std::uint64_t> used_, scratch_;
};

}  // namespace

template <class T>
void add_cpu_hash_kernels(SpgemmKernelList<T>& list) {
    spgemm_cpu::add_rows<HashRows>(list, "hash");
}
template void add_cpu_hash_kernels(SpgemmKernelList<SPTUNE_VALUE>&);

}  // namespace sptune
