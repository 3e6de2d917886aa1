// auto_spgemm: C = A·B.
#include "features/fingerprint.hpp"
#include "kernels/cuda_probe.hpp"
#include "library/database.hpp"
#include "library/matrix.hpp"
#include "matrix/error.hpp"
#include "tuner/multiply.hpp"
#include "tuner/select_product.hpp"

#include <fmt/format.h>

namespace sptune {
inline namespace v1 {

template <class T, class P>
class csr_matrix<T, P>::implementation {
  public:
    Csr<T, P> matrix;
    tuner::ProductSelection selection;
};

template <class T, class P>
csr_matrix<T, P>::csr_matrix(std::unique_ptr<implementation> p) : p_(std::move(p)) {}
template <class T, class P>
csr_matrix<T, P>::csr_matrix(csr_matrix&&) noexcept = default;
template <class T, class P>
csr_matrix<T, P>& csr_matrix<T, P>::operator=(csr_matrix&&) noexcept = default;
template <class T, class P>
csr_matrix<T, P>::~csr_matrix() = default;

template <class T, class P>
csr_view<T, P> csr_matrix<T, P>::view() const {
    const CsrView<T, P> m = p_->matrix.view();
    return {m.rows, m.cols, m.row_ptr, m.col_idx, m.values, m.nnz()};
}
template <class T, class P>
const std::string& csr_matrix<T, P>::made_by() const {
    return p_->selection.id;
}
template <class T, class P>
const std::string& csr_matrix<T, P>::source() const {
    return p_->selection.source;
}

}  // namespace v1

namespace library {
namespace {

template <class T, class P>
CsrView<T, P> host_view(const csr_view<T, P>& a, const char* name) {
    if (backend_of(a) != Backend::cpu)
        throw UsageError(
            fmt::format("{} lies in the memory of a GPU; auto_spgemm takes matrices in "
                        "host memory, and copies them where it multiplies on a GPU",
                        name));
    return checked_view(a, Backend::cpu);
}

template <class T, class P>
csr_matrix<T, P> multiply(const csr_view<T, P>& given_a, const csr_view<T, P>& given_b,
                          const spgemm_options& o) {
    const CsrView<T, P> a = host_view(given_a, "A"), b = host_view(given_b, "B");
    if (a.cols != b.rows)
        throw UsageError(
            fmt::format("A is {} × {} and B {} × {}: the columns of A must be as many "
                        "as the rows of B",
                        a.rows, a.cols, b.rows, b.cols));
    const Backend backend = o.backend == sptune::backend::cuda ? Backend::cuda : Backend::cpu;
    if (backend == Backend::cuda) require_cuda();
    const ProductFeatures product =
        product_features(a, b, fingerprint(a, o.threads), fingerprint(b, o.threads), o.threads);
    const auto databases = open_databases(o.database);
    auto made = std::make_unique<typename csr_matrix<T, P>::implementation>();
    const SpgemmOptions options{o.sorted, o.drop_zeros, o.memory_bytes};
    tuner::Multiplied<T, P> done;
    if (o.variant && *o.variant) {
        done = tuner::multiply(a, b, product, backend, o.variant, options, o.threads);
        done.selection = {o.variant, "asked for"};
    } else {
        const auto chosen =
            tuner::select_product<T, P>(product, backend, databases.get(), o.threads);
        done = tuner::multiply_selected(a, b, product, backend, chosen, options, o.threads);
    }
    made->matrix = std::move(done.c);
    made->selection = std::move(done.selection);
    return csr_matrix<T, P>(std::move(made));
}

}  // namespace
}  // namespace library

inline namespace v1 {

template <class T, class P>
csr_matrix<T, P> auto_spgemm(const csr_view<T, P>& A, const csr_view<T, P>& B,
                             const spgemm_options& options) {
    return library::guarded([&] { return library::multiply(A, B, options); });
}

#define SPTUNE_INSTANTIATE(T, P)                                                        \
    template class csr_matrix<T, P>;                                                    \
    template csr_matrix<T, P> auto_spgemm(const csr_view<T, P>&, const csr_view<T, P>&, \
                                          const spgemm_options&);
SPTUNE_INSTANTIATE(float, std::int32_t)
SPTUNE_INSTANTIATE(float, std::int64_t)
SPTUNE_INSTANTIATE(double, std::int32_t)
SPTUNE_INSTANTIATE(double, std::int64_t)
#undef SPTUNE_INSTANTIATE

}  // namespace v1
}  // namespace sptune
