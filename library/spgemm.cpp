// auto_spgemm: C = A·B.
#include "features/structure.hpp"
#include "kernels/cuda_probe.hpp"
#include "library/database.hpp"
#include "library/matrix.hpp"
#include "library/require.hpp"
#include "matrix/error.hpp"
#include "tuner/cuda/calls.hpp"
#include "tuner/default_models.hpp"
#include "tuner/mode.hpp"
#include "tuner/multiply.hpp"
#include "tuner/select.hpp"
#include "tuner/select_product.hpp"

#include <fmt/format.h>

namespace sptune {
inline namespace v1 {

template <class T, class P>
class csr_matrix<T, P>::implementation {
  public:
    Csr<T, P> host;
    std::unique_ptr<Product<T, P>> there;  ///< in the memory of a GPU, instead
    tuner::ProductSelection selection;
    std::string why;
    int device = -1;  ///< the GPU that it lies on

    CsrView<T, P> view() const { return there ? there->view() : host.view(); }
    ~implementation() {
        if (!there) return;
        const tuner::OnDevice here(device);
        if (!tuner::is_device_idle()) static_cast<void>(there.release());  // lost, but not reused
        there.reset();
    }
};

namespace {
constexpr const char* kThis = "this csr_matrix";
}

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
    const CsrView<T, P> m = library::held(p_, kThis).view();
    return {m.rows, m.cols, m.row_ptr, m.col_idx, m.values, m.nnz()};
}
template <class T, class P>
backend csr_matrix<T, P>::location() const {
    return library::held(p_, kThis).there ? backend::cuda : backend::cpu;
}
template <class T, class P>
const std::string& csr_matrix<T, P>::made_by() const {
    return library::held(p_, kThis).selection.id;
}
template <class T, class P>
const std::string& csr_matrix<T, P>::source() const {
    return library::held(p_, kThis).selection.source;
}
template <class T, class P>
const std::string& csr_matrix<T, P>::why() const {
    return library::held(p_, kThis).why;
}

}  // namespace v1

namespace library {
namespace {

/// Where A and B lie. One without arrays lies where the other one does.
template <class T, class P>
Backend backend_of_pair(const csr_view<T, P>& a, const csr_view<T, P>& b) {
    const Backend of_a = backend_of(a), of_b = backend_of(b);
    if (of_a == of_b) return of_a;
    if (!a.row_ptr) return of_b;
    if (!b.row_ptr) return of_a;
    throw UsageError(fmt::format("A lies in {} and B in {}; put both in the same memory",
                                 of_a == Backend::cuda ? "the memory of a GPU" : "host memory",
                                 of_b == Backend::cuda ? "the memory of a GPU" : "host memory"));
}

template <class T, class P>
csr_matrix<T, P> multiply(const csr_view<T, P>& given_a, const csr_view<T, P>& given_b,
                          const spgemm_options& o) {
    const Backend home = backend_of_pair(given_a, given_b);
    require_threads(o.threads);
    require_known(o.backend);
    const bool off = tuner::mode() == tuner::Mode::off;
    // Whatever is read of A and B from here on may just have been enqueued there.
    if (home == Backend::cuda && o.stream) tuner::wait_for_stream(o.stream);
    const CsrView<T, P> a = checked_view(given_a, home), b = checked_view(given_b, home);
    if (a.cols != b.rows)
        throw UsageError(
            fmt::format("A is {} × {} and B {} × {}: the columns of A must be as many "
                        "as the rows of B",
                        a.rows, a.cols, b.rows, b.cols));
    if (home == Backend::cuda && o.backend == sptune::backend::cpu)
        throw tuner::Unmet(
            "backend: A and B lie in the memory of a GPU and cannot be multiplied on the CPU; copy "
            "them to host memory");
    const auto check = [&](const CsrView<T, P>& m, const char* name) {
        try {
            check_structure(m, o.threads);
        } catch (const UsageError& e) {
            throw UsageError(fmt::format("{}: {}", name, e.what()));
        }
    };
    if (home == Backend::cpu) {
        check(a, "A");
        if (!is_square_of_one(a, b)) check(b, "B");
    }
    const Backend backend = o.backend == sptune::backend::cuda ? Backend::cuda : home;
    if (backend == Backend::cuda) require_cuda();
    const bool asked = o.variant && *o.variant;
    const auto databases = off || asked ? nullptr : open_databases(o.database);
    const bool looked_up = databases && !databases->are_empty();
    const ProductFeatures product =
        tuner::features_of_pair(a, b, home, o.threads, looked_up, o.stream);
    const tuner::ProductSelection chosen =
        asked ? tuner::ProductSelection{o.variant, "asked for"}
        : off ? tuner::default_product<T, P>(product, backend)
              : tuner::select_product<T, P>(product, backend, databases.get(),
                                            tuner::default_product_model, o.threads,
                                            tuner::parse_validate(""));
    const SpgemmOptions options{o.sorted, o.drop_zeros, o.memory_bytes, asked};
    auto made = std::make_unique<typename csr_matrix<T, P>::implementation>();
    made->why = asked ? fmt::format("{} was asked for.", chosen.id) : chosen.why;
    const auto keep = [&](auto done, auto& place) {
        place = std::move(done.c);
        if (!done.passed_over.empty())
            made->why +=
                fmt::format(" It gave way to {}: {}.", done.selection.id, done.passed_over);
        made->selection = asked ? chosen : std::move(done.selection);
    };
    try {
        if (home == Backend::cuda) made->device = tuner::current_device();
        if (home == Backend::cuda)
            keep(asked
                     ? tuner::multiply_on_device(a, b, product, chosen.id, options, o.stream)
                     : tuner::multiply_selected_on_device(a, b, product, chosen, options, o.stream),
                 made->there);
        else
            keep(asked
                     ? tuner::multiply(a, b, product, backend, chosen.id, options, o.threads)
                     : tuner::multiply_selected(a, b, product, backend, chosen, options, o.threads),
                 made->host);
    } catch (const OutOfMemory& e) {
        // What was refused may be a part of all that the cap is for.
        if (o.memory_bytes >= tuner::usable_memory(backend)) throw;
        throw tuner::Unmet(
            fmt::format("memory_bytes: {}; {} are allowed in all", e.what(), o.memory_bytes));
    }
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
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace v1
}  // namespace sptune
