// A contract and what is really the case.
#pragma once

#include "matrix/counter_random.hpp"
#include "tuner/contract.hpp"

#include <algorithm>
#include <vector>

namespace sptune::tuner {

/// What is really the case.
struct Truth {
    double plain_us = 100;
    std::vector<Offer> offers;
    std::vector<bool> fails =
        {};                    ///< whose conversions fail, after all that they take; empty: none
    double held_up_share = 0;  ///< of calls of offers, which take held_up_us more
    double held_up_us = 0;
};

struct Outcome {
    double total_us = 0;    ///< calls and conversions
    double convert_us = 0;  ///< by how much the worst conversion passed its prediction
    double call_us = 0;     ///< by how much the worst call of an offer passed plain CSR
    int conversions = 0;
    int active = 0;
    bool settled = false;
};

/// Makes `calls` calls as a plan would.
inline Outcome live(Contract& contract, const Truth& truth, const std::vector<Offer>& predicted,
                    long long calls) {
    Outcome out;
    Stream random(9, static_cast<std::uint64_t>(calls));
    const auto convert = [&](int which) {
        const std::size_t i = static_cast<std::size_t>(which) - 1;
        out.total_us += truth.offers[i].convert_us;
        out.convert_us =
            std::max(out.convert_us, truth.offers[i].convert_us - predicted[i].convert_us);
        ++out.conversions;
        const bool fails = !truth.fails.empty() && truth.fails[i];
        if (fails)
            contract.refused(which, truth.offers[i].convert_us);
        else
            contract.converted(which, truth.offers[i].convert_us);
        return !fails;
    };
    for (int which = contract.in_advance(); which && !convert(which);
         which = contract.in_advance()) {
    }
    for (long long n = 0; n < calls; ++n) {
        Contract::Step step = contract.next();
        while (step.convert) {
            convert(step.run);
            step = contract.next();
        }
        const std::size_t i = static_cast<std::size_t>(step.run);
        double us = step.run ? truth.offers[i - 1].call_us : truth.plain_us;
        if (step.run && random.uniform() < truth.held_up_share) us += truth.held_up_us;
        out.total_us += us;
        if (step.run) out.call_us = std::max(out.call_us, us - truth.plain_us);
        contract.called(step.timed ? us : 0);
    }
    out.active = contract.active();
    out.settled = contract.settled();
    return out;
}

inline double promise(const Terms& t, const Truth& truth, double calls) {
    return ((1 + t.epsilon) * std::max(calls, t.expected_calls) + t.grace_calls) * truth.plain_us;
}

}  // namespace sptune::tuner
