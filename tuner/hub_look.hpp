// Kernels for hub columns join in where a look at the columns lets expect that they are faster.
#pragma once

#include "models/hub_time.hpp"
#include "models/shortlist.hpp"
#include "tuner/kernel_index.hpp"
#include "tuner/select_field.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace sptune::tuner {

/// What the look takes at the most: it counts the columns of some million entries and sorts them.
inline constexpr double kHubLookUs = 400;

/// `hubs` are those kernels, unknown to the model of `field`. They are looked at only where they
/// would save more than the look takes in so many calls if their bands held all entries. Returns
/// whether any has joined.
template <class T, class P>
bool look_for_hubs(Field<T, P>& field, double calls, const Features& features, CsrView<T, P> a,
                   const KernelIndex<T, P>& kernels,
                   const std::vector<const SpmvKernel<T, P>*>& hubs, int multiprocessors) {
    if (hubs.empty() || field.empty() || multiprocessors <= 0) return false;
    const auto entrant = [&](const SpmvKernel<T, P>& kernel, const LayoutEstimate& told) {
        const Params& params = kernel.variant.params;
        const models::HubWork work{static_cast<double>(a.nnz()) - told.gathered,
                                   told.gathered,
                                   told.sums,
                                   get(params, "n"),
                                   get(params, "k"),
                                   static_cast<int>(sizeof(T)),
                                   multiprocessors};
        return Entrant<T, P>{&kernel, kernels.id(kernel), models::hub_us(work),
                             models::hub_convert_us(work) + kernels.load_us(kernel)};
    };
    double least = field.front().total_us(calls), hoped = least;
    for (const Entrant<T, P>& e : field) least = std::min(least, e.total_us(calls));
    for (const auto* kernel : hubs) hoped = std::min(hoped, entrant(*kernel, {}).total_us(calls));
    if ((models::kWorthwhile * least - hoped) * calls < kHubLookUs) return false;

    std::vector<Params> params;
    for (const auto* kernel : hubs) params.push_back(kernel->variant.params);
    const std::vector<LayoutEstimate> told = hubs.front()->estimate(a, features, params);
    bool joined = false;
    for (std::size_t i = 0; i < hubs.size(); ++i) {
        if (!std::isfinite(told[i].bytes)) continue;
        Entrant<T, P> e = entrant(*hubs[i], told[i]);
        e.looked = true;
        e.seen = told[i].bytes;
        // Not for what may be an error of the prediction.
        if (e.total_us(calls) > models::kWorthwhile * least) continue;
        field.push_back(e);
        joined = true;
    }
    return joined;
}

}  // namespace sptune::tuner
