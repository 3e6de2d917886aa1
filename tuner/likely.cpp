#include "tuner/likely.hpp"

#include "kernels/parallel.hpp"
#include "matrix/error.hpp"
#include "tuner/default_models.hpp"
#include "tuner/select.hpp"
#include "tuner/select_product.hpp"

#include <utility>

namespace sptune::tuner {

template <class T, class P>
std::vector<std::string> likely_spmv(CsrView<T, P> a, const Features& features, Backend backend,
                                     int threads) {
    Chooser<T, P> known;
    known.view = a;
    known.backend = backend;
    known.fingerprint = [&] { return features.fingerprint; };
    known.features = [&] { return features; };
    known.threads = resolve_threads(threads);
    SelectOptions options;
    options.threads = threads;
    std::vector<std::string> ids;
    try {
        const Selection s = select_spmv(known, KernelIndex<T, P>::of(backend), options);
        ids.push_back(s.chosen.id);
        for (const Ranked& r : s.alternatives) ids.push_back(r.id);
        for (const Ranked& r : s.runners_up) ids.push_back(r.id);
    } catch (const Error&) {
        // An order is not worth a failure: without it, a sweep begins with the least bytes.
    }
    return ids;
}

template <class T, class P>
std::vector<std::string> likely_product(const ProductFeatures& product, Backend backend,
                                        int threads) {
    ProductSelection s = select_product<T, P>(product, backend, nullptr, default_product_model,
                                              threads, Validate::ignore);
    s.next.insert(s.next.begin(), std::move(s.id));
    return std::move(s.next);
}

#define SPTUNE_INSTANTIATE(T, P)                                                                 \
    template std::vector<std::string> likely_spmv(CsrView<T, P>, const Features&, Backend, int); \
    template std::vector<std::string> likely_product<T, P>(const ProductFeatures&, Backend, int);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune::tuner
