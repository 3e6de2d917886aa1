// What a choice finds out beyond predictions: closer looks at what may be chosen, and kernels that
// no model knows.
#pragma once

#include "tuner/closer_look.hpp"
#include "tuner/hub_look.hpp"
#include "tuner/select_limits.hpp"
#include "tuner/tiles2d_look.hpp"

#include <exception>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace sptune::tuner {

/// Of one choice.
template <class T, class P>
class SelectLooks {
  public:
    using Kernel = SpmvKernel<T, P>;
    using Field = tuner::Field<T, P>;
    using Known = typename KernelIndex<T, P>::Known;

    /// Refers to all of them; `lookup` gets to know of kernels that cannot be looked at.
    SelectLooks(const KernelIndex<T, P>& kernels, SelectLimits<T, P>& limits, Lookup& lookup)
        : kernels_(kernels), limits_(limits), lookup_(lookup) {}

    /// Whether anything in the field of what is `known` has changed by it. Leaves out what the
    /// constraints do not allow.
    bool look(Field& field, const Known& known, double calls, const Features& features,
              CsrView<T, P> a, const db::Device& device) {
        bool changed = look_closer(field, calls, features, a, known.alike);
        leave_out_forbidden(field);
        if (!joined_tiles2d_ &&
            join_tiles2d(field, calls, features, a, kernels_, allowed(known.tiles2d), device)) {
            joined_tiles2d_ = changed = true;
            leave_out_forbidden(field);
        }
        return look_for_hubs(field, known.hubs, calls, features, a, device) || changed;
    }

  private:
    void leave_out_forbidden(Field& field) {
        std::erase_if(field, [&](const Entrant<T, P>& e) { return !limits_.allow(e); });
    }

    std::vector<const Kernel*> allowed(std::vector<const Kernel*> kernels) {
        std::erase_if(kernels, [&](const Kernel* k) {
            return !limits_.allow(Entrant<T, P>{k, kernels_.id(*k)});
        });
        return kernels;
    }

    /// Once.
    bool look_for_hubs(Field& field, const std::vector<const Kernel*>& hubs, double calls,
                       const Features& features, CsrView<T, P> a, const db::Device& device) {
        if (looked_for_hubs_) return false;
        try {
            const HubLook found =
                tuner::look_for_hubs(field, calls, features, a, kernels_, allowed(hubs), device);
            looked_for_hubs_ = found != HubLook::not_worth_it;
            if (found == HubLook::joined) leave_out_forbidden(field);
            return found == HubLook::joined;
        } catch (const std::exception& failure) {  // memory of a GPU that is nearly full, say
            looked_for_hubs_ = true;
            lookup_.notes.push_back(
                fmt::format("hub columns cannot be looked at: {}", failure.what()));
            return false;
        }
    }

    const KernelIndex<T, P>& kernels_;
    SelectLimits<T, P>& limits_;
    Lookup& lookup_;
    bool looked_for_hubs_ = false, joined_tiles2d_ = false;
};

}  // namespace sptune::tuner
