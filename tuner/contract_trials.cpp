// Trials of offers and audits of the one in use: how they begin, and what comes of them.
#include "tuner/contract.hpp"

#include <algorithm>
#include <utility>

namespace sptune::tuner {
namespace {

constexpr double kMostWaits = 1000;  ///< calls, of one trial

}  // namespace

Contract::Step Contract::begin_trial(int offer, bool convert) {
    trial_ = offer;
    runs_left_ = (takes_turns() ? 2 : 1) * terms_.trials;
    strikes_ = 0;
    trial_turn_ = true;
    warm_up_ = true;
    settling_ = Settling(terms_.settling);
    cold_us_ = 0, waited_ = false;
    waits_left_ = static_cast<int>(std::min(2 * kCold / terms_.epsilon, kMostWaits));
    phase_ = Phase::trial;
    return last_ = {offer, convert, true};
}

/// Adds up by how much calls of the active offer take longer than promised, and forgets it where
/// faster ones have made up for it. Whether nothing is to spare and those calls are to blame, not a
/// conversion, which faster calls pay for in time.
bool Contract::overspent(double excess_us) {
    if (active_ == 0) return false;
    debt_.us += excess_us;
    ++debt_.calls;
    debt_.most_us = std::max(debt_.most_us, excess_us);
    if (debt_.us <= 0) debt_ = {};
    return spare_us() < 0 && debt_.us > 0;
}

/// Is it the offer or the machine? A trial that is under way begins anew, if at all.
void Contract::begin_audit() {
    debt_.plain_us = plain_us();
    trial_ = active_;
    active_ = 0;
    known_.front().times.clear();
    runs_left_ = terms_.trials;
    phase_ = Phase::audit;
}

void Contract::end_audit() {
    // Where plain CSR has become slower as well, it would have taken so much longer itself.
    const double forgiven =
        std::min(debt_.us, (1 + terms_.epsilon) * static_cast<double>(debt_.calls) *
                               std::max(0.0, plain_us() - debt_.plain_us));
    balance_ += forgiven;
    debt_.us -= forgiven;
    // Calls may have been disturbed, which is no fault of the offer. One is forgiven, where nothing
    // else is missing; after more it pauses.
    const bool one_call = debt_.us <= debt_.most_us && spare_us() + debt_.us >= 0;
    if (call_us(trial_) >= kBetter * plain_us())
        drop(trial_);
    else
        (one_call ? active_ : paused_) = trial_;
    if (active_ == 0 || debt_.us <= 0) debt_ = {};
    settle_or_wait();
}

/// After a call of the trial that took too long for the promise to bear another.
void Contract::give_up() {
    state_of(trial_).unaffordable = strikes_ < 2;
    drop(trial_);
    settle_or_wait();
}

void Contract::end_trial() {
    Known& k = state_of(trial_);
    const double to_beat =
        paused_ ? std::min(call_us(active_), call_us(paused_)) : call_us(active_);
    if (call_us(trial_) < kBetter * to_beat) {
        for (int* const beaten : {&active_, &paused_})
            if (*beaten) drop(std::exchange(*beaten, 0));
        k.state = State::proven;
        active_ = trial_;
    } else {
        drop(trial_);
    }
    settle_or_wait();
}

void Contract::resume() {
    active_ = std::exchange(paused_, 0);
    settle_or_wait();
}

void Contract::drop(int offer) {
    state_of(offer).state = State::dropped;
    ++drops_;
}

}  // namespace sptune::tuner
