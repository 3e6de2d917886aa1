// Is C = A·B what the reference says?
#pragma once

#include "features/product.hpp"
#include "features/sample.hpp"
#include "kernels/spgemm/reference.hpp"
#include "tuner/verify.hpp"

#include <cstdint>
#include <vector>

namespace sptune::tuner {

/// What C has to be, in all rows or in a sample of them.
class ProductCheck {
  public:
    /// Multiplies serially in f64, stretches of rows side by side. More than `most_products` are
    /// not looked at: then a sample of the rows is checked. Throws std::bad_alloc.
    template <class T, class P>
    ProductCheck(CsrView<T, P> a, CsrView<T, P> b, const ProductFeatures& product,
                 std::uint64_t most_products = 50'000'000);

    /// C lies in host memory, its columns sorted. The position of every entry has to be right;
    /// values may be off by eps(T) · (terms + 4) · (Σ |a_ik| |b_kj| + smallest normal T), twice
    /// what any order of summation can lose. Sums that may overflow T may be anything.
    /// `row` and `error` as in Verdict; an entry too many or missing is an infinite error.
    template <class T, class P>
    Verdict judge(CsrView<T, P> c) const;

    /// The rows that judge() looks at: of others it needs the row pointers alone.
    std::vector<RowWindow> windows() const;
    double checked_share() const { return checked_share_; }  ///< of the rows
    /// nnz(C), estimated where not all rows were multiplied.
    std::uint64_t entries() const { return entries_; }

  private:
    index_t rows_ = 0, cols_ = 0;
    std::vector<SpgemmReference> pieces_;
    double checked_share_ = 1;
    std::uint64_t entries_ = 0;
};

}  // namespace sptune::tuner
