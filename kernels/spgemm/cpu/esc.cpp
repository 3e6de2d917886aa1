// Expand, sort, compress, row by row: all products are written down, sorted by column and summed.
// Source: N. Bell, S. Dalton, L. N. Olson, "Exposing fine-grained parallelism in algebraic
// multigrid methods", SIAM J. Sci. Comput. 34 (2012).
#include "kernels/spgemm/cpu/rows.hpp"
#include "kernels/spgemm/cpu/sort.hpp"

#include <limits>
#include <string>

namespace sptune {
namespace {

template <class T, class P>
class EscRows {
  public:
    struct Shared {
        explicit Shared(const spgemm_cpu::Inputs<T, P>& in)
            : a(in.problem.a), b(in.problem.b), longest(in.problem.longest_row) {}
        CsrView<T, P> a, b;
        std::uint64_t longest;
    };
    static std::uint64_t shared_bytes(const SpgemmProblem<T, P>&) { return 0; }
    static std::uint64_t bytes(const SpgemmProblem<T, P>& p) {
        return p.longest_row * (sizeof(T) + 2 * sizeof(std::uint64_t));
    }
    static std::string illegal(const SpgemmProblem<T, P>& p) {
        return p.longest_row > std::numeric_limits<std::uint32_t>::max()
                   ? "a row has more products than a 32-bit position can name"
                   : "";
    }

    explicit EscRows(const Shared& s)
        : a_(s.a), b_(s.b), product_(s.longest), key_(s.longest), scratch_(s.longest) {}

    index_t count(index_t i) {
        const std::uint32_t n = expand(i);
        index_t entries = 0, before = -1;
        for (std::uint32_t k = 0; k < n; ++k) {
            entries += column_of(key_[k]) != before;
            before = column_of(key_[k]);
        }
        return entries;
    }

    /// Always sorted.
    index_t compute(index_t i, bool, index_t* cols, T* values) {
        const std::uint32_t n = expand(i);
        index_t entries = 0, before = -1;
        T sum{0};
        for (std::uint32_t k = 0; k < n; ++k) {
            const index_t column = column_of(key_[k]);
            const T product = product_[position_of(key_[k])];
            sum = column == before ? sum + product : product;
            entries += column != before;
            before = column;
            cols[entries - 1] = column;
            values[entries - 1] = sum;
        }
        return entries;
    }

  private:
    std::uint32_t expand(index_t i) {
        std::uint32_t n = 0;
        for (P k = a_.row_ptr[i]; k < a_.row_ptr[i + 1]; ++k) {
            const index_t row = a_.col_idx[k];
            const T value = a_.values[k];
            for (P l = b_.row_ptr[row]; l < b_.row_ptr[row + 1]; ++l, ++n) {
                key_[n] = column_key(b_.col_idx[l], n);
                product_[n] = value * b_.values[l];
            }
        }
        sort_columns(key_.data(), scratch_.data(), n, b_.cols);
        return n;
    }

    CsrView<T, P> a_, b_;
    Buffer<T> product_;
    Buffer<std::uint64_t> key_, scratch_;
};

}  // namespace

template <class T>
void add_cpu_esc_kernels(SpgemmKernelList<T>& list) {
    spgemm_cpu::add_rows<EscRows>(list, "esc");
}
template void add_cpu_esc_kernels(SpgemmKernelList<SPTUNE_VALUE>&);

}  // namespace sptune
