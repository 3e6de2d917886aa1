// How multiply() runs a kernel, whatever memory it works in.
#pragma once

#include "kernels/spgemm/registry.hpp"
#include "tuner/measure.hpp"
#include "tuner/multiply.hpp"

#include <memory>

namespace sptune::tuner {

/// `fetch(std::unique_ptr<Product>)` returns C as a Csr in host memory.
template <class T, class P, class Fetch>
Multiplied<T, P> multiply_with(const SpgemmProblem<T, P>& problem, Backend backend,
                               const std::string& id, const SpgemmOptions& options, int threads,
                               Fetch fetch) {
    const SpgemmKernel<T, P>& kernel = find_spgemm_kernel<T, P>(backend, id);
    const Params& params = kernel.variant.params;
    const std::string illegal = kernel.inspect(problem, params).illegal;
    if (!illegal.empty())
        throw UsageError(std::string(id).append(" cannot be used here: ").append(illegal));
    Multiplied<T, P> out;
    const double start = steady_us();
    std::unique_ptr<SpgemmOperands> operands;
    if (kernel.prepare) operands = kernel.prepare(problem, params, threads);
    const double prepared = steady_us();
    auto c = kernel.multiply(problem, operands.get(), params, options, {threads});
    out.multiply_us = steady_us() - prepared;
    out.convert_us = kernel.prepare ? prepared - start : 0;
    out.c = fetch(std::move(c));
    return out;
}

}  // namespace sptune::tuner
