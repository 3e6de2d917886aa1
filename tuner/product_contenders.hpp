// SpGEMM kernels as the search sees them, on any backend.
#pragma once

#include "tuner/sweep_contenders.hpp"
#include "tuner/sweep_product.hpp"
#include "tuner/verify_product.hpp"

#include <limits>
#include <memory>
#include <utility>

namespace sptune::tuner {

/// The operands of a kernel, or none, on the shelf of converted matrices.
class OperandStorage final : public Storage {
  public:
    OperandStorage(std::unique_ptr<SpgemmOperands> operands, std::uint64_t moved,
                   std::uint64_t entries)
        : operands_(std::move(operands)), moved_(moved), entries_(entries) {}
    const SpgemmOperands* operands() const { return operands_.get(); }
    /// A is read and C is written, whatever the kernel.
    std::uint64_t bytes() const override { return moved_; }
    std::uint64_t stored() const override { return entries_; }

  private:
    std::unique_ptr<SpgemmOperands> operands_;
    std::uint64_t moved_, entries_;
};

/// `fetch(product)` returns a view of C in host memory, or an owner with view().
template <class T, class P, class Fetch>
SweepResult sweep_product_contenders(const SpgemmProblem<T, P>& problem, const Features& features,
                                     const ProductFeatures& product, const ProductCheck& check,
                                     const std::vector<SpgemmKernel<T, P>>& kernels,
                                     const std::string& baseline, const db::Device& device,
                                     int threads, const SweepOptions& wanted, Fetch fetch) {
    SweepOptions options = wanted;
    options.limits.storage_factor = std::numeric_limits<double>::infinity();
    SpgemmOptions how;
    how.memory_bytes = options.limits.storage_bytes;

    Subject subject = subject_of(problem.a, 0);
    const std::uint64_t entry = sizeof(T) + sizeof(index_t);
    const std::uint64_t moved = subject.csr_bytes + check.entries() * entry +
                                (static_cast<std::uint64_t>(problem.a.rows) + 1) * sizeof(P);
    subject.op = Op::spgemm;
    subject.flops = 2.0 * static_cast<double>(product.products);
    subject.vector_bytes =
        product.b_entries * entry + (static_cast<std::uint64_t>(problem.b.rows) + 1) * sizeof(P);
    subject.least_bytes = 0;  // rows of B may be left unread
    subject.product = product;

    Features of_pair = features;
    of_pair.fingerprint = product.fingerprint;

    std::vector<Contender> contenders;
    for (const SpgemmKernel<T, P>& kernel : kernels) {
        if (!wanted_by(kernel.variant, baseline, options)) continue;
        const auto multiply = [&problem, &kernel, how, threads](const Storage& s) {
            const auto* operands = static_cast<const OperandStorage&>(s).operands();
            return kernel.multiply(problem, operands, kernel.variant.params, how, {threads});
        };
        Variant variant = kernel.variant;
        if (!kernel.prepare) variant.layout = "csr";  // the baseline's: nothing is converted
        contenders.push_back(
            {.variant = std::move(variant),
             .inspect =
                 [&problem, &kernel] {
                     SpgemmFootprint f = kernel.inspect(problem, kernel.variant.params);
                     return Footprint{f.operand_bytes, 0,
                                      f.illegal.empty() ? f.wasteful : f.illegal};
                 },
             .convert =
                 [=, &problem, &kernel, &check] {
                     return std::make_unique<OperandStorage>(
                         kernel.prepare ? kernel.prepare(problem, kernel.variant.params, threads)
                                        : nullptr,
                         moved, check.entries());
                 },
             .verify =
                 [=, &check, clock = options.clock](const Storage& s) {
                     const double start = clock();
                     const auto c = multiply(s);
                     const double call_us = clock() - start;
                     const auto on_host = fetch(*c);
                     Verdict verdict = check.judge(on_host.view());
                     verdict.call_us = call_us;
                     return verdict;
                 },
             .run = [=](const Storage& s) { multiply(s); },
             .inspected_as = kernel.variant.id()});  // what is legal is up to the parameters
    }
    return sweep_contenders(subject, of_pair, std::move(contenders), baseline, device, options);
}

}  // namespace sptune::tuner
