#include "library/options.hpp"

#include "kernels/registry.hpp"
#include "library/require.hpp"
#include "tuner/mode.hpp"
#include "tuner/versions.hpp"

#include <cmath>

namespace sptune::library {
namespace {

/// A conversion takes five to twenty calls on a CPU, where the best of all takes 0.4 times as long
/// as plain CSR in geometric mean; less on a GPU, where there is less to win as well.
double usual_grace_calls(Backend backend) {
    return backend == Backend::cuda ? 10 : 25;
}

}  // namespace

tuner::PlanOptions plan_options_of(const plan_options& o, Backend backend, ValueType value,
                                   IndexType index) {
    require(o.expected_calls >= 0 && std::isfinite(o.expected_calls),
            "expected_calls must be a number, 0 (unknown) or more");
    require(o.epsilon > 0 && std::isfinite(o.epsilon), "epsilon must be a number greater than 0");
    require(std::isfinite(o.grace_calls), "grace_calls must be a finite number");
    require(o.error_bound >= 0, "error_bound must be a number, 0 or more");
    require(o.longest_conversion_us >= 0, "longest_conversion_us must be a number, 0 or more");
    require_threads(o.threads);
    require(o.online >= v1::online::automatic && o.online <= v1::online::never,
            "online: expected automatic, always or never");
    require(
        !o.in_graphs || o.online != v1::online::always,
        "online: always and in_graphs exclude each other: what a graph repeats cannot be tried");
    require_known(o.backend);
    if ((o.backend == v1::backend::cpu && backend != Backend::cpu) ||
        (o.backend == v1::backend::cuda && backend != Backend::cuda))
        throw tuner::Unmet(
            backend == Backend::cpu
                ? "backend: A lies in host memory; cuda takes arrays in the memory of the GPU"
                : "backend: A lies in the memory of a GPU; cpu takes arrays in host memory");
    tuner::PlanOptions p;
    tuner::Constraints& c = p.select.constraints;
    p.select.calls = o.expected_calls;
    p.select.threads = o.threads;
    p.select.in_graphs = o.in_graphs && backend == Backend::cuda;
    p.select.validate = tuner::parse_validate("");
    c.deterministic = o.deterministic;
    c.memory_bytes = o.memory_bytes;
    if (o.longest_conversion_us < 1e300) c.convert_us = o.longest_conversion_us;
    if (o.error_bound < 1e300) c.error = o.error_bound;
    if (o.variants) c.variants = o.variants;
    if (tuner::mode() == tuner::Mode::off) {
        c.variants = spmv_baseline_id(backend, value, index);
        p.select.models.emplace();
    }
    p.online = o.online == v1::online::always  ? tuner::Online::always
               : o.online == v1::online::never ? tuner::Online::never
                                               : tuner::Online::automatic;
    p.terms.epsilon = o.epsilon;
    if (backend == Backend::cpu) p.terms.likely_saving = 0.3;
    p.terms.grace_calls = o.grace_calls >= 0 ? o.grace_calls : usual_grace_calls(backend);
    return p;
}

}  // namespace sptune::library
