#include "tuner/sweep.hpp"

#include "kernels/parallel.hpp"
#include "kernels/registry.hpp"
#include "matrix/error.hpp"
#include "matrix/memory.hpp"
#include "tuner/bandwidth.hpp"
#include "tuner/decide.hpp"
#include "tuner/search.hpp"

#include <algorithm>
#include <limits>

namespace sptune::tuner {
namespace {

template <class T, class P>
Contender contender(CsrView<T, P> a, const Features& features, const SpmvKernel<T, P>& kernel,
                    Problem<T>& problem, int threads, Clock clock) {
    return {
        .variant = kernel.variant,
        .inspect = [=, &features,
                    &kernel] { return kernel.inspect(a, features, kernel.variant.params); },
        .convert = [=, &kernel] { return kernel.convert(a, kernel.variant.params, threads); },
        .verify = [=, &kernel, &problem](
                      const Storage& s) { return verify(kernel, s, problem, threads, clock); },
        .run = [apply = kernel.apply, x = problem.x.data(), y = problem.y.data(),
                threads](const Storage& s) { apply(s, T{1}, x, T{0}, y, {threads}); },
    };
}

/// An earlier entry counts only when its times were taken under the same conditions.
bool same_conditions(const db::Entry& a, const db::Entry& b) {
    return a.matrix.fingerprint == b.matrix.fingerprint && a.device.key == b.device.key &&
           a.op == b.op && a.value == b.value && a.index == b.index && a.cache == b.cache;
}

}  // namespace

template <class T, class P>
SweepResult sweep_kernels(CsrView<T, P> a, const Features& features,
                          const std::vector<SpmvKernel<T, P>>& kernels, const std::string& baseline,
                          const db::Device& device, const SweepOptions& wanted) {
    const double start = wanted.clock();
    const auto rows = static_cast<std::uint64_t>(a.rows), cols = static_cast<std::uint64_t>(a.cols);
    const auto nnz = static_cast<std::uint64_t>(a.nnz());

    SweepResult result;
    db::Entry& entry = result.entry;
    entry.matrix.rows = a.rows, entry.matrix.cols = a.cols;
    entry.matrix.nnz = static_cast<std::int64_t>(a.nnz());
    entry.matrix.fingerprint = features.fingerprint;
    entry.features = features;
    entry.device = device;
    entry.value = value_type_of<T>();
    entry.index = index_type_of<P>();
    entry.cache = wanted.cache == Cache::warm ? "warm" : "cold";
    entry.baseline = baseline;
    entry.provenance.seed = wanted.seed;
    entry.provenance.budget_s = wanted.budget_s;

    SweepOptions options = wanted;
    if (options.resume && !same_conditions(*options.resume, entry)) options.resume = nullptr;
    if (options.limits.storage_bytes == Limits{}.storage_bytes)
        options.limits.storage_bytes = available_memory() / 2;

    Problem<T> problem = make_problem(a, options.seed);
    Scene scene;
    scene.device = &device;
    scene.baseline = baseline;
    scene.flops = 2.0 * static_cast<double>(nnz);
    scene.csr_bytes = nnz * (sizeof(T) + sizeof(index_t)) + (rows + 1) * sizeof(P);
    scene.vector_bytes = (rows + cols) * sizeof(T);
    // Writing y may overlap with reading in caches, so only reads count.
    scene.least_bytes = problem.used_cols * sizeof(T);

    std::vector<Contender> contenders;
    const int threads = resolve_threads(options.threads);
    for (const SpmvKernel<T, P>& kernel : kernels)
        if (const std::string id = kernel.variant.id();
            id == baseline || matches(id, options.variants))
            contenders.push_back(contender(a, features, kernel, problem, threads, options.clock));

    Search::Outcome outcome = Search(std::move(contenders), scene, options).run();
    entry.candidates = std::move(outcome.candidates);
    result.ended = outcome.ended;
    entry.complete = outcome.ended == Ended::complete;
    if (const db::Candidate* winner = db::find(entry, outcome.winner)) crown(entry, *winner);
    entry.provenance.sweep_s = (options.clock() - start) / 1e6;
    return result;
}

template <class T, class P>
SweepResult sweep_spmv(CsrView<T, P> a, const Features& features, Backend backend,
                       const SweepOptions& options) {
    if (backend != Backend::cpu)
        throw DeviceError("this build has no kernels for backend '" +
                          std::string(to_string(backend)) + "'; use --backend cpu");
    return sweep_kernels(a, features, spmv_kernels<T, P>(backend),
                         spmv_baseline_id(backend, value_type_of<T>(), index_type_of<P>()),
                         cpu_device(options.threads), options);
}

#define SPTUNE_INSTANTIATE(T, P)                                                                   \
    template SweepResult sweep_spmv(CsrView<T, P>, const Features&, Backend, const SweepOptions&); \
    template SweepResult sweep_kernels(CsrView<T, P>, const Features&,                             \
                                       const std::vector<SpmvKernel<T, P>>&, const std::string&,   \
                                       const db::Device&, const SweepOptions&);
SPTUNE_INSTANTIATE(float, std::int32_t)
SPTUNE_INSTANTIATE(float, std::int64_t)
SPTUNE_INSTANTIATE(double, std::int32_t)
SPTUNE_INSTANTIATE(double, std::int64_t)
#undef SPTUNE_INSTANTIATE

}  // namespace sptune::tuner
