#include "matrix.hpp"

#include <optional>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

namespace sptune_python {
namespace {

/// (indptr, indices, data) of A·B: NumPy arrays over the memory in which sptune made them.
template <class T, class P>
nb::tuple product(const Matrix<T, P>& a, const Matrix<T, P>& b, bool sorted, bool drop_zeros,
                  std::optional<std::uint64_t> memory_bytes, const std::string& backend,
                  const std::string& variant, int threads,
                  const std::optional<std::string>& database) {
    sptune::spgemm_options o;
    o.sorted = sorted;
    o.drop_zeros = drop_zeros;
    o.memory_bytes = memory_bytes.value_or(o.memory_bytes);
    o.backend = backend_named(backend);
    o.variant = variant.c_str();
    o.threads = threads;
    o.database = database ? database->c_str() : nullptr;

    using Made = sptune::csr_matrix<T, P>;
    const auto multiply = [&] {
        const OthersRun others_run;
        return new Made(sptune::auto_spgemm(a.view, b.view, o));
    };
    const Made* const made = multiply();
    const nb::capsule owner(made, [](void* p) noexcept { delete static_cast<Made*>(p); });
    if (made->location() != sptune::backend::cpu)
        throw nb::type_error("auto_spgemm takes matrices in host memory");
    const auto view = made->view();
    // The arrays are the owner's and nobody else's, so that SciPy may write to them.
    const auto array = [&](const auto* data, std::size_t size) {
        using V = std::remove_const_t<std::remove_pointer_t<decltype(data)>>;
        return nb::ndarray<nb::numpy, V, nb::ndim<1>>(const_cast<V*>(data), {size}, owner);
    };
    const auto nnz = static_cast<std::size_t>(view.nnz);
    return nb::make_tuple(array(view.row_ptr, static_cast<std::size_t>(view.rows) + 1),
                          array(view.col_idx, nnz), array(view.values, nnz));
}

template <class T, class P>
void bind(nb::module_& m) {
    m.def("product", &product<T, P>, nb::arg("a"), nb::arg("b"), nb::kw_only(), nb::arg("sorted"),
          nb::arg("drop_zeros"), nb::arg("memory_bytes").none(), nb::arg("backend"),
          nb::arg("variant"), nb::arg("threads"), nb::arg("database").none());
}

}  // namespace

void bind_products(nb::module_& m) {
    bind<float, std::int32_t>(m);
    bind<float, std::int64_t>(m);
    bind<double, std::int32_t>(m);
    bind<double, std::int64_t>(m);
}

}  // namespace sptune_python
