// Kernels for hub columns join in where a look at the columns lets expect that they are faster.
#pragma once

#include "models/hub_time.hpp"
#include "models/launching.hpp"
#include "models/shortlist.hpp"
#include "tuner/join_best.hpp"
#include "tuner/kernel_index.hpp"
#include "tuner/select_field.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace sptune::tuner {

enum class HubLook { not_worth_it, none, joined };

/// The best two of `hubs`, kernels that no model knows, join the field where they may be the best.
/// They are looked at only where they would save more than the look takes in so many calls if their
/// bands held all entries.
template <class T, class P>
HubLook look_for_hubs(Field<T, P>& field, double calls, const Features& features, CsrView<T, P> a,
                      const KernelIndex<T, P>& kernels,
                      const std::vector<const SpmvKernel<T, P>*>& hubs, const db::Device& device) {
    if (hubs.empty() || device.threads <= 0) return HubLook::not_worth_it;
    const auto entrant = [&](const SpmvKernel<T, P>& kernel, const LayoutEstimate& told) {
        const Params& params = kernel.variant.params;
        const models::HubWork work{static_cast<double>(a.nnz()) - told.gathered,
                                   told.gathered,
                                   told.sums,
                                   get(params, "n"),
                                   get(params, "k"),
                                   static_cast<int>(sizeof(T)),
                                   device.threads};
        return Entrant<T, P>{&kernel, kernels.id(kernel),
                             models::expected_us(device, kernel.variant, models::hub_us(work)),
                             models::hub_convert_us(work) + kernels.load_us(kernel)};
    };
    const auto total = [&](const Entrant<T, P>& e) { return e.total_us(calls); };
    double least = std::numeric_limits<double>::infinity(), hoped = least;
    for (const Entrant<T, P>& e : field) least = std::min(least, total(e));
    for (const auto* kernel : hubs) hoped = std::min(hoped, total(entrant(*kernel, {})));
    if ((models::kWorthwhile * least - hoped) * calls < models::hub_look_us(a.nnz(), a.cols))
        return HubLook::not_worth_it;

    std::vector<Params> params;
    for (const auto* kernel : hubs) params.push_back(kernel->variant.params);
    const std::vector<LayoutEstimate> told = hubs.front()->estimate(a, features, params);
    Field<T, P> joining;
    for (std::size_t i = 0; i < hubs.size(); ++i) {
        if (!std::isfinite(told[i].bytes)) continue;
        Entrant<T, P> e = entrant(*hubs[i], told[i]);
        e.looked = true;
        e.seen = told[i].bytes;
        joining.push_back(e);
    }
    return join_best(field, std::move(joining), calls) ? HubLook::joined : HubLook::none;
}

}  // namespace sptune::tuner
