// Gustavson's algorithm with a dense accumulator, one value per column of B, as in SMMP.
// Sources: F. G. Gustavson, "Two fast algorithms for sparse matrices", ACM TOMS 4 (1978);
// R. E. Bank, C. C. Douglas, "Sparse matrix multiplication package (SMMP)", 1993.
#include "kernels/spgemm/cpu/rows.hpp"

#include <string>

namespace sptune {
namespace {

template <class T, class P>
class DenseRows {
  public:
    struct Shared {
        explicit Shared(const spgemm_cpu::Inputs<T, P>& in) : a(in.problem.a), b(in.problem.b) {}
        CsrView<T, P> a, b;
    };
    static std::uint64_t shared_bytes(const SpgemmProblem<T, P>&) { return 0; }
    static std::uint64_t bytes(const SpgemmProblem<T, P>& p) {
        return static_cast<std::uint64_t>(p.b.cols) * (sizeof(T) + sizeof(index_t));
    }
    static std::string illegal(const SpgemmProblem<T, P>&) { return {}; }

    explicit DenseRows(const Shared& s)
        : a_(s.a),
          b_(s.b),
          sum_(static_cast<std::size_t>(b_.cols)),
          last_(static_cast<std::size_t>(b_.cols), -1) {}

    /// Marks a column with ~i, so that compute() does not take it for its own.
    index_t count(index_t i) {
        index_t entries = 0;
        visit(i, [&](T, index_t j, T) {
            entries += last_[j] != ~i - 1;
            last_[j] = ~i - 1;
        });
        return entries;
    }

    index_t compute(index_t i, bool sorted, index_t* cols, T* values) {
        index_t entries = 0;
        visit(i, [&](T a, index_t j, T b) {
            if (last_[j] != i) {
                last_[j] = i;
                cols[entries++] = j;
                sum_[j] = a * b;
            } else {
                sum_[j] += a * b;
            }
        });
        if (sorted) std::sort(cols, cols + entries);
        for (index_t k = 0; k < entries; ++k) values[k] = sum_[cols[k]];
        return entries;
    }

  private:
    template <class Visit>
    void visit(index_t i, Visit visit) const {
        for (P k = a_.row_ptr[i]; k < a_.row_ptr[i + 1]; ++k) {
            const index_t row = a_.col_idx[k];
            const T value = a_.values[k];
            for (P l = b_.row_ptr[row]; l < b_.row_ptr[row + 1]; ++l)
                visit(value, b_.col_idx[l], b_.values[l]);
        }
    }

    CsrView<T, P> a_, b_;
    Buffer<T> sum_;
    Buffer<index_t> last_;  ///< row that has used a column last
};

}  // namespace

template <class T>
void add_cpu_gustavson_kernels(SpgemmKernelList<T>& list) {
    spgemm_cpu::add_rows<DenseRows>(list, "gustavson");
}
template void add_cpu_gustavson_kernels(SpgemmKernelList<SPTUNE_VALUE>&);

}  // namespace sptune
