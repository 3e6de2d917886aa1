#include "tuner/select.hpp"

#include "kernels/parallel.hpp"
#include "tuner/cuda/select.hpp"
#include "tuner/selector.hpp"

namespace sptune::tuner {

std::string_view to_string(Source source) {
    return source == Source::exact ? "exact" : source == Source::model ? "model" : "heuristic";
}

template <class T, class P>
Chooser<T, P> choose_for(CsrView<T, P> view, Backend backend, int threads) {
    if (backend == Backend::cuda) return choose_on_device(view);
    return {view,
            backend,
            [=] { return fingerprint(view, threads); },
            [=] { return extract_features(view, threads, Look::quick); },
            nullptr,
            resolve_threads(threads)};
}

template <class T, class P>
Chooser<T, P> choose_from_host(CsrView<T, P> host, Backend backend, int threads) {
    return backend == Backend::cuda ? choose_with_copy_on_device(host)
                                    : choose_for(host, backend, threads);
}

template <class T, class P>
Selection select_spmv(CsrView<T, P> host, Backend backend, const SelectOptions& options) {
    return select_spmv(choose_from_host(host, backend, options.threads),
                       KernelIndex<T, P>::of(backend), options);
}

template <class T, class P>
Selection select_spmv(const Chooser<T, P>& matrix, const KernelIndex<T, P>& kernels,
                      const SelectOptions& options) {
    const ThreadLimit limit(options.threads);
    return Selector<T, P>(matrix, kernels, options).run();
}

template <class T, class P>
Selection select_without_model(const Chooser<T, P>& matrix, const KernelIndex<T, P>& kernels,
                               const SelectOptions& options) {
    const ThreadLimit limit(options.threads);
    return Selector<T, P>(matrix, kernels, options).run_without_model();
}

#define SPTUNE_INSTANTIATE(T, P)                                                            \
    template Chooser<T, P> choose_for(CsrView<T, P>, Backend, int);                         \
    template Chooser<T, P> choose_from_host(CsrView<T, P>, Backend, int);                   \
    template Selection select_spmv(CsrView<T, P>, Backend, const SelectOptions&);           \
    template Selection select_spmv(const Chooser<T, P>&, const KernelIndex<T, P>&,          \
                                   const SelectOptions&);                                   \
    template Selection select_without_model(const Chooser<T, P>&, const KernelIndex<T, P>&, \
                                            const SelectOptions&);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune::tuner
