#include "tuner/contract.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sptune::tuner {
namespace {

/// One such call ends a trial, too: of the least time of what it replaces.
constexpr double kDecisive = 0.8;
constexpr double kMostWaits = 1000;  ///< calls, of one trial

}  // namespace

Contract::Contract(const Terms& terms, double plain_us, const std::vector<Offer>& offers,
                   const Past& past)
    : terms_(terms),
      checks_left_(terms.trusted && terms.doubted > 0 ? terms.trials + 1 : 0),
      settling_(terms.settling),
      calls_(past.calls),
      epoch_calls_(past.calls),
      past_calls_(past.calls),
      balance_(-past.spent_us) {
    known_.push_back({{plain_us, 0}, State::proven, {}, 0});
    for (const Offer& offer : offers) known_.push_back({offer, State::waiting, {}, 0});
    if (offers.empty())
        phase_ = Phase::settled, closed_ = true;
    else if (terms.trusted)
        phase_ = Phase::waiting;
    if (!takes_turns()) return;  // those times are of calls that had not settled
    for (const double us : past.times) known_.front().times.add(us);
    if (phase_ == Phase::plain && past.calls >= kPlainFirst && !past.times.empty()) open_account();
}

/// Once the time of plain CSR is known: what may be spent beside it from the beginning on.
void Contract::open_account() {
    balance_ += (terms_.grace_calls +
                 terms_.epsilon * (terms_.expected_calls + static_cast<double>(past_calls_))) *
                known_.front().times.least();
    balance_ += static_cast<double>(unpriced_.calls) * plain_us() - unpriced_.us;
    unpriced_ = {};
    if (!trial_) return settle_or_wait();
    // What it was to take is known only now, in the measure of plain CSR.
    const Known& k = state_of(trial_);
    overrun_us_ = std::max(0.0, k.convert_us - k.predicted.convert_us * scale());
    begin_trial(trial_, false);
}

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

int Contract::end_of_offers() const {
    const auto end = static_cast<int>(known_.size());
    return terms_.trusted ? std::min(2, end) : end;
}

Contract::Step Contract::next() {
    if (paused_ && spare_us() >= 0 && (phase_ == Phase::waiting || phase_ == Phase::settled))
        resume();
    switch (phase_) {
        case Phase::plain:
            return last_ = {0, false, true};
        case Phase::waiting:
            if (const int offer = next_due()) {
                const bool convert = state_of(offer).state != State::converted;
                if (terms_.trusted || state_of(offer).state == State::proven) {
                    active_ = offer;
                    settle_or_wait();
                    return last_ = {offer, convert, watches()};
                }
                return begin_trial(offer, convert);
            }
            return last_ = {active_, false, watches()};
        case Phase::trial: {
            if (!trial_turn_) return last_ = {active_, false, true};
            // What has shown to be slow is called again only while that can be afforded.
            const double spare = spare_us();
            const bool slow = call_us(trial_) - plain_us() > std::max(0.0, spare);
            if (!slow && spare >= cold_us_) {
                if (waited_) warm_up_ = true, settling_ = Settling(terms_.settling);  // cold again
                waited_ = false, cold_us_ = 0;
                return last_ = {trial_, false, true};
            }
            // The rest may still turn out to be slow: it waits, if not for ever.
            if (slow || waits_left_-- == 0 || (active_ == 0 && !earning())) {
                state_of(trial_).unaffordable = true;
                fail_trial();
                return last_ = {active_, false, true};
            }
            waited_ = true;
            return last_ = {active_, false, terms_.watch};
        }
        case Phase::audit:
            return last_ = {0, false, true};
        case Phase::settled:
            break;
    }
    return last_ = {active_, false, active_ != 0 && watches()};
}

void Contract::converted(int offer, double us) {
    Known& k = state_of(offer);
    overrun_us_ = std::max(overrun_us_, us - convert_us(offer));
    balance_ -= us;
    if (k.convert_us == 0 && k.predicted.convert_us > 0)
        ++tried_, took_us_ += us, predicted_us_ += k.predicted.convert_us;
    k.convert_us = us;
    const bool proven = k.state == State::proven || terms_.trusted;
    k.state = proven ? State::proven : State::converted;
    if (phase_ == Phase::plain || phase_ == Phase::waiting) {  // in advance, or after an update
        if (proven) {
            active_ = offer;
            settle_or_wait();
        } else {
            trial_ = offer;
        }
    }
}

void Contract::close() {
    phase_ = Phase::settled, closed_ = true;
    trial_ = 0, checks_left_ = 0;
}

void Contract::shares_values(int offer) {
    constexpr double kSharing = 1;  // us
    Known& k = state_of(offer);
    if (k.convert_us > 0) k.convert_us = std::min(k.convert_us, kSharing);
}

void Contract::refused(int offer, double us) {
    overrun_us_ = std::max(overrun_us_, us - convert_us(offer));
    balance_ -= us;
    drop(offer);
    if (active_ == offer) active_ = 0;
    trial_ = 0;
    if (terms_.trusted && terms_.doubted > 0) return lose_trust();
    if (phase_ != Phase::plain) settle_or_wait();
}

void Contract::called(double us) {
    ++calls_, ++epoch_calls_;
    const bool paid_in_advance = static_cast<double>(calls_) <= terms_.expected_calls;
    const double share = paid_in_advance ? 0 : terms_.epsilon;
    if (!last_.timed || us <= 0) {  // as long as it took before
        if (!terms_.trusted || checks_left_ > 0)
            balance_ += (1 + share) * plain_us() - call_us(last_.run);
        return;
    }
    const bool warming = phase_ == Phase::trial && last_.run == trial_ && warm_up_;
    const bool dear =
        (terms_.settling == 1 && us > kCold * plain_us()) || (spare_us() < 0 && us > plain_us());
    if (last_.run != before_) after_change_ = Settling(terms_.settling);
    before_ = last_.run;
    after_change_.called(us);
    LastTimes& times = state_of(last_.run).times;
    // What comes back after a trial has to settle again, and has been faster before.
    const bool unsettled = !takes_turns() && !after_change_.over() && last_.run != trial_;
    if ((!warming || dear) && (!unsettled || times.empty())) times.add(us);
    // Plain CSR would have been held up as well.
    const bool priced = !known_.front().times.empty();
    if (priced)
        balance_ += (1 + share) * plain_us() - (last_.run == 0 ? plain_us() : us);
    else
        ++unpriced_.calls, unpriced_.us += us;
    switch (phase_) {
        case Phase::plain:
            // What is not met again in a trial has to have settled as well.
            if (!takes_turns()) settle_plain(us);
            if (!knows_plain()) return;
            open_account();
            return;
        case Phase::trial:
            if (last_.run == active_ && overspent(us - (1 + share) * plain_us()))
                return begin_audit();
            if (last_.run == trial_ && strikes_out(us)) return fail_trial();
            if (warming) return warmed_up(us);
            if (trial_turn_ && last_.run != trial_) return;  // it waits
            if (takes_turns()) trial_turn_ = !trial_turn_;
            if (--runs_left_ == 0 || (last_.run == trial_ && strikes_ == 0 &&
                                      us < kDecisive * state_of(active_).times.least()))
                end_trial();
            return;
        case Phase::audit:
            // Calls that have not settled yet tell enough where they take far longer.
            if (unsettled && !(terms_.trusted && us > kCold * call_us(trial_))) return;
            if (--runs_left_ == 0) end_audit();
            return;
        case Phase::waiting:
        case Phase::settled:
            if (checking()) {
                if (!unsettled) check(us);
                return;
            }
            if (checks_left_ > 0 && !takes_turns() && !knows_plain()) settle_plain(us);
            if (overspent(us - (1 + share) * plain_us())) begin_audit();
            return;
    }
}

/// Whether this call of the trial is to be its last.
bool Contract::strikes_out(double us) {
    return us > kHopeless * call_us(active_) && !warm_up_ &&
           (++strikes_ > 1 || us - plain_us() > spare_us());
}

/// A call of the trial that does not count.
void Contract::warmed_up(double us) {
    settling_.called(us);
    const double behind_us = us - plain_us();
    // Where there is no second call at once, there have to be two later.
    if (behind_us > 0 && spare_us() < 0) cold_us_ = behind_us;
    warm_up_ = !settling_.over() && behind_us <= spare_us();
    if (takes_turns() || !settling_.over() || settling_.least_us() < kBetter * call_us(active_))
        return;
    state_of(trial_).times.add(settling_.least_us());
    fail_trial();
}

void Contract::fail_trial() {
    drop(trial_);
    settle_or_wait();
}

void Contract::end_trial() {
    const double to_beat =
        paused_ ? std::min(call_us(active_), call_us(paused_)) : call_us(active_);
    if (call_us(trial_) >= kBetter * to_beat) return fail_trial();
    for (int* const beaten : {&active_, &paused_})
        if (*beaten) drop(std::exchange(*beaten, 0));
    state_of(trial_).state = State::proven;
    active_ = trial_;
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

/// Settled where no offer can become due any more, and from then on: whoever relies on calls that
/// allocate nothing is not to meet a conversion because the machine was busy for a while.
void Contract::settle_or_wait() {
    trial_ = 0;
    phase_ = Phase::settled;
    if (closed_) return;
    for (int i = 1; i < end_of_offers(); ++i) {
        const Known& k = state_of(i);
        if (k.state != State::dropped && i != active_ && i != paused_ &&
            (may_save(i) || worth_a_look(i)))
            phase_ = Phase::waiting;
    }
    closed_ = phase_ == Phase::settled;
}

void Contract::rested(long long calls) {
    if (!terms_.trusted)
        balance_ += static_cast<double>(calls) *
                    ((1 + (earning() ? terms_.epsilon : 0)) * plain_us() - call_us(active_));
    calls_ += calls;
    epoch_calls_ += calls;
}

int Contract::values_changed() {
    const double last_calls = static_cast<double>(epoch_calls_);
    ++epochs_;
    epoch_calls_ = 0;
    closed_ = false;
    paused_ = 0;
    for (Known& k : known_)
        if (k.state == State::converted) k.state = State::waiting;
    if (in_doubt())
        judge_early();
    else if (phase_ == Phase::audit && known_.front().times.empty())
        known_.front().times.add(debt_.plain_us);  // there will be no call to say it anew
    trial_ = 0;
    if (phase_ != Phase::plain) settle_or_wait();
    if (active_ == 0 || convert_us(active_) <= 0) return active_;
    // As many calls are to be expected as in the mean, or as of late: a program may have begun to
    // change values after long without.
    double calls_each = std::min(static_cast<double>(calls_) / (epochs_ - 1), last_calls);
    if (terms_.trusted) calls_each = std::max(calls_each, terms_.expected_calls);
    const double saved = call_us(0) - call_us(active_);
    if (saved * calls_each > convert_us(active_) && short_us(active_) <= 0) return active_;
    active_ = 0;
    phase_ = Phase::waiting;
    closed_ = false;
    return 0;
}

bool Contract::at_rest() const {
    return phase_ == Phase::settled && !paused_ && !checking() &&
           (active_ == 0 || terms_.trusted || !terms_.watch);
}

}  // namespace sptune::tuner
