#include "tuner/kernel_index.hpp"

#include "matrix/error.hpp"
#include "matrix/lasting.hpp"
#include "models/holding.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace sptune::tuner {
namespace {

/// In the least share of a diagonal that is kept, and in nothing else.
template <class Kernel>
bool differ_in_what_is_kept(const Kernel& a, const Kernel& b) {
    const auto same = [](const Param& p, const Param& q) {
        return p.name == q.name && (p.name == "f" || p.value == q.value);
    };
    return a.variant.algorithm == b.variant.algorithm &&
           std::equal(a.variant.params.begin(), a.variant.params.end(), b.variant.params.begin(),
                      b.variant.params.end(), same);
}

}  // namespace

template <class T, class P>
KernelIndex<T, P>::KernelIndex(const std::vector<Kernel>& kernels, const std::string& baseline,
                               SafeRule safe)
    : kernels_(&kernels), safe_(std::move(safe)) {
    ids_.reserve(kernels.size());  // views into them must stay
    part_.reserve(kernels.size());
    by_id_.reserve(kernels.size());
    using Part = std::tuple<std::string_view, std::string_view, int>;
    std::map<Part, std::size_t> parts;
    for (const Kernel& kernel : kernels) {
        const Variant& v = kernel.variant;
        ids_.push_back(v.id());
        by_id_[ids_.back()] = &kernel;
        // For each width of the columns these are compiled in a file of their own (kernels/spmv).
        const bool apart = v.algorithm == "slices" || v.algorithm == "tiles";
        const Part part(v.format, v.algorithm, apart ? models::param_or(v.params, "x", 0) : 0);
        part_.push_back(parts.emplace(part, parts.size()).first->second);
    }
    for (std::size_t i = 0; i < parts.size(); ++i) loaded_.emplace_back(false);
    baseline_ = find(baseline);
    if (!baseline_) throw Error(fmt::format("the baseline {} is not among the kernels", baseline));
}

template <class T, class P>
const KernelIndex<T, P>& KernelIndex<T, P>::of(Backend backend) {
    const auto make = [](Backend b) {
        constexpr ValueType value = value_type_of<T>();
        constexpr IndexType index = index_type_of<P>();
        return KernelIndex(spmv_kernels<T, P>(b), spmv_baseline_id(b, value, index),
                           [=](const Outline& o) { return spmv_safe(b, value, index, o).id(); });
    };
    if (backend == Backend::cpu) {
        static const auto& cpu = lasting([=] { return make(Backend::cpu); });
        return cpu;
    }
    static const auto& cuda = lasting([=] { return make(Backend::cuda); });
    return cuda;
}

template <class T, class P>
const SpmvKernel<T, P>* KernelIndex<T, P>::find(std::string_view id) const {
    const auto found = by_id_.find(id);
    return found == by_id_.end() ? nullptr : found->second;
}

template <class T, class P>
const SpmvKernel<T, P>& KernelIndex<T, P>::safe(const Outline& outline) const {
    const Kernel* found = safe_ ? find(safe_(outline)) : nullptr;
    return found ? *found : *baseline_;
}

/// Of an H100's host, where formats take 0.8 to 2.6 ms.
template <class T, class P>
double KernelIndex<T, P>::load_us(const Kernel& kernel) const {
    constexpr double kLoadUs = 1000;
    const auto part = part_[static_cast<std::size_t>(&kernel - kernels_->data())];
    const bool loads = kernel.variant.backend == Backend::cuda && !kernel.variant.vendor;
    return loads && !loaded_[part].load(std::memory_order_relaxed) ? kLoadUs : 0;
}

template <class T, class P>
void KernelIndex<T, P>::has_run(const Kernel& kernel) const {
    const auto part = part_[static_cast<std::size_t>(&kernel - kernels_->data())];
    loaded_[part].store(true, std::memory_order_relaxed);
}

template <class T, class P>
const typename KernelIndex<T, P>::Known& KernelIndex<T, P>::known_to(
    const models::Predictor& model) const {
    const std::lock_guard lock(mutex_);
    auto [place, fresh] = known_.try_emplace(&model);
    if (fresh) {
        place->second.add(*baseline_, model);
        for (const Kernel& kernel : *kernels_)
            if (&kernel != baseline_ && model.knows(kernel.variant))
                place->second.add(kernel, model);
        add_unknown(place->second);
    }
    return place->second;
}

template <class T, class P>
void KernelIndex<T, P>::add_unknown(Known& known) const {
    const std::vector<const Kernel*>& list = known.kernels;
    for (const Kernel& kernel : *kernels_) {
        if (!kernel.estimate || std::find(list.begin(), list.end(), &kernel) != list.end())
            continue;
        if (kernel.variant.format == "hub") known.hubs.push_back(&kernel);
        if (kernel.variant.format == "tiles2d") known.tiles2d.push_back(&kernel);
        const auto like = std::find_if(list.begin(), list.end(), [&](const Kernel* k) {
            return k->estimate == kernel.estimate && differ_in_what_is_kept(*k, kernel);
        });
        if (like != list.end()) known.alike.push_back({&kernel, id(kernel), *like});
    }
}

#define SPTUNE_INSTANTIATE(T, P) template class KernelIndex<T, P>;
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune::tuner
