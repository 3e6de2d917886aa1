// How multiply() runs a kernel, whatever memory it works in.
#pragma once

#include "kernels/spgemm/registry.hpp"
#include "tuner/measure.hpp"
#include "tuner/multiply.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace sptune::tuner {

template <class T, class P>
MultipliedInPlace<T, P> multiply_with(const SpgemmProblem<T, P>& problem, Backend backend,
                                      const std::string& id, const SpgemmOptions& options,
                                      SpgemmLaunch launch) {
    const SpgemmKernel<T, P>& kernel = find_spgemm_kernel<T, P>(backend, id);
    const Params& params = kernel.variant.params;
    const SpgemmFootprint footprint = kernel.inspect(problem, params);
    const std::string& obstacle =
        footprint.illegal.empty() && !options.asked_for ? footprint.wasteful : footprint.illegal;
    if (!obstacle.empty())
        throw IllegalKernel(std::string(id).append(" cannot be used here: ").append(obstacle));
    const std::uint64_t preparing = footprint.operand_bytes + footprint.prepare_bytes;
    if (preparing > options.memory_bytes)
        throw OutOfMemory("making the kernel's own form of A and B", preparing);
    MultipliedInPlace<T, P> out;
    const double start = steady_us();
    std::unique_ptr<SpgemmOperands> operands;
    if (kernel.prepare) operands = kernel.prepare(problem, params, launch.threads);
    SpgemmOptions beside = options;  // what is left beside the operands
    if (operands) beside.memory_bytes -= std::min(beside.memory_bytes, operands->bytes());
    const double prepared = steady_us();
    out.c = kernel.multiply(problem, operands.get(), params, beside, launch);
    out.multiply_us = steady_us() - prepared;
    out.convert_us = kernel.prepare ? prepared - start : 0;
    return out;
}

/// The same with C brought to host memory by fetch(std::unique_ptr<Product>).
template <class T, class P, class Fetch>
Multiplied<T, P> fetched(MultipliedInPlace<T, P> made, const Fetch& fetch) {
    Multiplied<T, P> out;
    static_cast<Making&>(out) = made;
    out.c = fetch(std::move(made.c));
    return out;
}

}  // namespace sptune::tuner
