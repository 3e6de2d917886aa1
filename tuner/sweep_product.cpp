#include "tuner/sweep_product.hpp"

#include "kernels/parallel.hpp"
#include "kernels/spgemm/registry.hpp"
#include "matrix/memory.hpp"
#include "tuner/cuda/sweep_product.hpp"
#include "tuner/likely.hpp"
#include "tuner/product_contenders.hpp"

namespace sptune::tuner {
namespace {

/// C where it is.
template <class T, class P>
struct InPlace {
    CsrView<T, P> c;
    CsrView<T, P> view() const { return c; }
};

}  // namespace

template <class T, class P>
SweepResult sweep_product_kernels(CsrView<T, P> a, CsrView<T, P> b, const Features& features,
                                  const ProductFeatures& product,
                                  const std::vector<SpgemmKernel<T, P>>& kernels,
                                  const std::string& baseline, const db::Device& device,
                                  const SweepOptions& wanted) {
    SweepOptions options = wanted;
    limit_storage(options, available_memory() / 2);
    const ProductCheck check(a, b, product);
    const SpgemmProblem<T, P> problem{a, b, product.products, product.longest_row,
                                      product.upper_entries};
    return sweep_product_contenders(problem, features, product, check, kernels, baseline, device,
                                    resolve_threads(options.threads), options,
                                    [](const Product<T, P>& c) { return InPlace<T, P>{c.view()}; });
}

template <class T, class P>
SweepResult sweep_spgemm(CsrView<T, P> a, CsrView<T, P> b, const Features& features,
                         const ProductFeatures& product, Backend backend,
                         const SweepOptions& wanted) {
    SweepOptions options = wanted;
    if (options.likely.empty())
        options.likely = likely_product<T, P>(product, backend, options.threads);
    const std::string baseline =
        spgemm_baseline_id(backend, value_type_of<T>(), index_type_of<P>());
    if (backend == Backend::cuda)
        return sweep_spgemm_cuda(a, b, features, product, baseline, options);
    return sweep_product_kernels(a, b, features, product, spgemm_kernels<T, P>(backend), baseline,
                                 device_of(backend, options.threads, options.stop), options);
}

#define SPTUNE_INSTANTIATE(T, P)                                                             \
    template SweepResult sweep_spgemm(CsrView<T, P>, CsrView<T, P>, const Features&,         \
                                      const ProductFeatures&, Backend, const SweepOptions&); \
    template SweepResult sweep_product_kernels(                                              \
        CsrView<T, P>, CsrView<T, P>, const Features&, const ProductFeatures&,               \
        const std::vector<SpgemmKernel<T, P>>&, const std::string&, const db::Device&,       \
        const SweepOptions&);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune::tuner
