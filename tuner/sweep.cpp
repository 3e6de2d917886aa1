#include "tuner/sweep.hpp"

#include "kernels/parallel.hpp"
#include "kernels/registry.hpp"
#include "kernels/spmv/one_value.hpp"
#include "matrix/memory.hpp"
#include "tuner/bandwidth.hpp"
#include "tuner/cuda/sweep.hpp"
#include "tuner/likely.hpp"
#include "tuner/sweep_contenders.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace sptune::tuner {
namespace {

/// `a`, or where all its values are the same one with other `values`, which are made for it.
template <class T, class P>
CsrView<T, P> with_varied_values(CsrView<T, P> a, const Features& features, std::uint64_t seed,
                                 Buffer<T>& values) {
    if (!features.constant_values) return a;
    values = varied_values(a, seed);
    a.values = values.data();
    return a;
}

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

/// The same for one that leaves out values which are all the same, as those of `a` are: timed like
/// that. Whether its conversion mixes up entries shows with varied values alone.
template <class T, class P>
Contender contender_without_values(CsrView<T, P> a, const Features& features,
                                   const SpmvKernel<T, P>& kernel, Problem<T>& problem, int threads,
                                   Clock clock, const Contender& varied) {
    Contender c = contender(a, features, kernel, problem, threads, clock);
    c.inspect = [inspect = c.inspect, params = kernel.variant.params] {
        Footprint f = inspect();
        f.moved_bytes = moved_without_values(f.moved_bytes, params, sizeof(T));
        return f;
    };
    c.verify = [verify = c.verify, varied](const Storage& s) {
        Verdict verdict = verify(s);
        const double call_us = verdict.call_us;
        const Verdict other = varied.verify(*varied.convert());
        if (verdict.correct && (!other.correct || other.error > verdict.error)) verdict = other;
        verdict.call_us = call_us;
        return verdict;
    };
    return c;
}

/// Of kernels that differ in whether they use one thread or all, one is enough where all are one.
bool repeats_another(const Variant& variant, int threads) {
    return threads == 1 &&
           std::any_of(variant.params.begin(), variant.params.end(),
                       [](const Param& p) { return p.name == "w" && p.value == 1; });
}

}  // namespace

template <class T, class P>
SweepResult sweep_kernels(CsrView<T, P> a, const Features& features,
                          const std::vector<SpmvKernel<T, P>>& kernels, const std::string& baseline,
                          const db::Device& device, const SweepOptions& wanted) {
    SweepOptions options = wanted;
    const bool one_value = features.constant_values;
    Buffer<T> values;
    const CsrView<T, P> varied = with_varied_values(a, features, options.seed, values);
    // Verifying what leaves values out takes a second conversion beside the first.
    limit_storage(options, available_memory() / (one_value ? 3 : 2));
    const int threads = resolve_threads(options.threads);
    const ThreadLimit limit(threads);
    Problem<T> problem = make_problem(varied, options.seed);
    std::optional<Problem<T>> as_it_is;
    std::vector<Contender> contenders;
    for (const SpmvKernel<T, P>& kernel : kernels) {
        if (!wanted_by(kernel.variant, baseline, options) ||
            (options.variants == "*" && kernel.variant.id() != options.guest &&
             repeats_another(kernel.variant, threads)))
            continue;
        Contender c = contender(varied, features, kernel, problem, threads, options.clock);
        if (one_value && knows_one_value(kernel.variant)) {
            if (!as_it_is) as_it_is = make_problem(a, options.seed);
            c = contender_without_values(a, features, kernel, *as_it_is, threads, options.clock, c);
        }
        contenders.push_back(std::move(c));
    }
    Subject subject = subject_of(a, problem.used_cols);
    subject.one_value = one_value;
    return sweep_contenders(subject, features, std::move(contenders), baseline, device, options);
}

const db::Device& device_of(Backend backend, int threads, const std::atomic<bool>* stop) {
    return backend == Backend::cuda ? cuda_device() : cpu_device(threads, stop);
}

template <class T, class P>
SweepResult sweep_spmv(CsrView<T, P> a, const Features& features, Backend backend,
                       const SweepOptions& wanted) {
    if (backend == Backend::cuda) {
        Buffer<T> values;
        return sweep_spmv_cuda(with_varied_values(a, features, wanted.seed, values), features,
                               wanted);
    }
    SweepOptions options = wanted;
    if (options.likely.empty()) options.likely = likely_spmv(a, features, backend, options.threads);
    return sweep_kernels(a, features, spmv_kernels<T, P>(backend),
                         spmv_baseline_id(backend, value_type_of<T>(), index_type_of<P>()),
                         device_of(backend, options.threads, options.stop), options);
}

#define SPTUNE_INSTANTIATE(T, P)                                                                   \
    template SweepResult sweep_spmv(CsrView<T, P>, const Features&, Backend, const SweepOptions&); \
    template SweepResult sweep_kernels(CsrView<T, P>, const Features&,                             \
                                       const std::vector<SpmvKernel<T, P>>&, const std::string&,   \
                                       const db::Device&, const SweepOptions&);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune::tuner
