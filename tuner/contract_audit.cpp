// Whether what is in use is worth its while, by the calls that are timed.
#include "tuner/contract.hpp"

#include <algorithm>
#include <utility>

namespace sptune::tuner {

/// Whether a call of what is in use is timed.
bool Contract::watches() const {
    if (checks_left_ > 0) return active_ != 0 || !knows_plain();
    return !terms_.trusted && terms_.watch;
}

/// Where calls settle, whether those of plain CSR have. Else the first one, in which code is loaded
/// and nothing is in a cache, is not to be the only one.
bool Contract::knows_plain() const {
    if (!takes_turns()) return settling_.over();
    const int enough = terms_.trusted ? terms_.trials + 1 : kPlainFirst;
    return calls_ >= enough && !known_.front().times.empty();
}

/// Of plain CSR, before anything is compared with it.
void Contract::settle_plain(double us) {
    settling_.called(us);
    if (!settling_.over()) return;
    known_.front().times.clear();
    known_.front().times.add(settling_.least_us());
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

/// A call of what is trusted. The first one has met nothing in the caches.
void Contract::check(double us) {
    if (checks_left_-- > terms_.trials) return state_of(active_).times.clear();
    if (us > kHopeless * plain_us()) ++strikes_;
    if (checks_left_ > 0 && strikes_ < 2) return;
    checks_left_ = 0;
    // Where it was converted to in advance, nothing is known of plain CSR.
    if (!knows_plain() || is_doubtful(active_, known_.front().times.least())) begin_audit();
}

/// A measurement tells more than a few calls, unless they are far from what it says.
bool Contract::is_doubtful(int offer, double plain_us) const {
    return call_us(offer) > terms_.doubted * plain_us;
}

/// There are new values before it is known whether what is trusted is as fast as it was measured:
/// what its calls have told so far has to do.
void Contract::judge_early() {
    const bool audit = phase_ == Phase::audit;
    if (audit) active_ = trial_, phase_ = Phase::settled;
    const bool told = !state_of(active_).times.empty();
    if (told && is_doubtful(active_, plain_us())) {
        drop(std::exchange(active_, 0));
        lose_trust();
    } else if (audit) {
        checks_left_ = 0;
    }
}

/// What was measured is not so: from here on as if it had been predicted.
void Contract::lose_trust() {
    terms_.trusted = false;
    checks_left_ = 0;
    closed_ = false;
    trial_ = 0;
    phase_ = Phase::plain;
    if (!known_.front().times.empty()) open_account();
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
    const bool slow =
        terms_.trusted ? is_doubtful(trial_, plain_us()) : call_us(trial_) >= kBetter * plain_us();
    if (slow)
        drop(trial_);
    else
        (one_call || terms_.trusted ? active_ : paused_) = trial_;
    if (active_ == 0 || debt_.us <= 0) debt_ = {};
    trial_ = 0;
    if (slow && terms_.trusted) return lose_trust();
    settle_or_wait();
}

}  // namespace sptune::tuner
