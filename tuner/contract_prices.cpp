// What calls and conversions are expected to take, and whether converting pays by that.
#include "tuner/contract.hpp"

#include <algorithm>

namespace sptune::tuner {
namespace {

constexpr double kPossible = 1.25;  ///< what needs no conversion is tried up to this prediction

}  // namespace

double Contract::call_us(int which) const {
    const Known& k = state_of(which);
    if (!k.times.empty()) return k.times.median();
    return k.predicted.call_us * (which ? scale_beside_active() : 1);
}

double Contract::converted_us(int which) const {
    return state_of(which).convert_us;
}

double Contract::measured_us(int which) const {
    return state_of(which).times.median();
}

/// Predictions are right relative to plain CSR rather than in microseconds.
double Contract::scale() const {
    const Known& plain = known_.front();
    if (plain.times.empty() || plain.predicted.call_us <= 0) return 1;
    return plain.times.median() / plain.predicted.call_us;
}

double Contract::convert_us(int which) const {
    const Known& k = state_of(which);
    if (k.convert_us > 0) return k.convert_us;
    // Conversions are off together. The promise does not bear one that is expected to take less
    // than was predicted.
    const double off = predicted_us_ > 0 ? took_us_ / predicted_us_ : 0;
    return k.predicted.convert_us * std::max(off, scale());
}

/// For offers that have not been tried.
double Contract::scale_beside_active() const {
    const Known& k = state_of(active_);
    if (active_ == 0 || k.times.empty() || k.predicted.call_us <= 0) return scale();
    return models::scale_between(scale(), k.times.median() / k.predicted.call_us);
}

/// Of each call of what is in use, in microseconds; of what has not been tried, what is expected.
double Contract::saving(int offer) const {
    const Known& k = state_of(offer);
    const double now = call_us(active_), then = call_us(offer);
    if (terms_.trusted || !k.times.empty()) return now - then;
    const bool alike = k.predicted.algorithm == state_of(active_).predicted.algorithm;
    return now * models::expected_saving(then / now, alike);
}

bool Contract::may_save(int offer) const {
    const bool open = !terms_.trusted && state_of(offer).times.empty();
    return saving(offer) > (open ? models::kLeastSaving : 1 - kBetter) * call_us(active_);
}

/// Needs no conversion and has not been tried: calls tell more than predictions do.
bool Contract::worth_a_look(int offer) const {
    const Known& k = state_of(offer);
    return !terms_.trusted && k.state == State::waiting && convert_us(offer) <= 0 &&
           call_us(offer) < kPossible * call_us(active_);
}

/// What the balance has to bear of a conversion that is still to come.
double Contract::cost_us(int offer) const {
    return state_of(offer).state == State::converted ? 0 : convert_us(offer);
}

/// Whether converting is expected to pay after so many calls, if it is allowed.
bool Contract::pays(int offer, double calls) const {
    const Known& k = state_of(offer);
    if (k.state == State::dropped || offer == active_ || offer == paused_) return false;
    if (!may_save(offer)) return false;
    const double saved = saving(offer), cost = cost_us(offer);
    // The more have been tried, the less likely is another to be better, whatever is expected.
    const bool known = terms_.trusted || k.convert_us > 0;
    const double wary_cost = known ? cost : (1 + tried_) * cost;
    const double left = terms_.expected_calls - calls;
    if (left > 0) return saved * left > wary_cost;
    // Lost what it would have cost: the ski rental's rule.
    return saved * calls * (terms_.trusted ? 1 : kBold) >= wary_cost;
}

/// By how much the balance is short of what converting asks for.
double Contract::short_us(int offer) const {
    return terms_.trusted ? 0 : std::max(0.0, cost_us(offer) + reserve_us() - balance_);
}

bool Contract::due(int offer) const {
    const State state = state_of(offer).state;
    if (state != State::dropped && offer != active_ && offer != paused_ && worth_a_look(offer))
        return balance_ >= terms_.trials * (kHopeless - 1) * plain_us();
    return short_us(offer) <= 0 && pays(offer, static_cast<double>(epoch_calls_));
}

/// Whether each call adds its share to the balance.
bool Contract::earning() const {
    return static_cast<double>(calls_) >= terms_.expected_calls;
}

/// For the first call after a conversion. Who earns can wait after it.
double Contract::reserve_us() const {
    return earning() ? 0 : (kCold - 1) * plain_us();
}

/// Whether it is likely to be due before there have been as many calls again.
bool Contract::due_soon(int offer) const {
    const double share = earning() ? terms_.epsilon * plain_us() : 0;
    return pays(offer, 2 * static_cast<double>(epoch_calls_)) &&
           short_us(offer) <= share * static_cast<double>(epoch_calls_);
}

/// The first in the order of preference. What comes after one that is due soon, and is due now
/// because its conversion takes less, would only put it off.
int Contract::next_due() const {
    bool waits = false;
    for (int i = 1; i < end_of_offers(); ++i) {
        if (due(i) && !(waits && cost_us(i) > 0)) return i;
        waits |= due_soon(i);
    }
    return 0;
}

int Contract::in_advance() const {
    if (terms_.expected_calls <= 0) return 0;
    const double credit =
        balance_ + (terms_.grace_calls + terms_.epsilon * terms_.expected_calls) * plain_us();
    for (int i = 1; i < end_of_offers(); ++i) {
        const double saved = call_us(0) - call_us(i), cost = convert_us(i);
        const double least = terms_.trusted ? 0 : (1 - kBetter) * call_us(0);
        if (!dropped(i) && saved > least && saved * terms_.expected_calls > cost &&
            (terms_.trusted || cost + reserve_us() <= credit))
            return i;
    }
    return 0;
}

}  // namespace sptune::tuner
