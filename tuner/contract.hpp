// When to convert, what to try and when to roll back, so that all calls together never take much
// longer than plain CSR would have. Knows nothing of matrices: it is told times and says what to
// do.
#pragma once

#include "models/shortlist.hpp"
#include "tuner/last_times.hpp"
#include "tuner/settling.hpp"

#include <vector>

namespace sptune::tuner {

/// What is promised. With `plain` the time of a plain CSR call, n calls (their conversions
/// included) take at most
///     (1 + epsilon) · n · plain + grace_calls · plain + overrun
/// where overrun is by how much the worst conversion passed its prediction and the worst call of an
/// offer passed plain CSR, or two such calls, where calls are held up that had been fast: none can
/// be taken back once it has begun. With expected_calls the share of epsilon is spent in advance,
/// so that the promise holds from that many calls on.
struct Terms {
    double epsilon = 0.05;
    double grace_calls = 10;
    double expected_calls = 0;  ///< 0: unknown
    /// The offers' times were measured on this matrix and device: nothing is tried, and the promise
    /// is the ski rental's: at most twice what the better of staying and converting would have
    /// taken. Of several only the first counts.
    bool trusted = false;
    /// What is trusted has to show in its first calls that it takes no more than so many times
    /// plain CSR. Else it is dropped, nothing is trusted any more, and the other offers count as
    /// well. 0: it is believed whatever it takes.
    double doubted = 0;
    /// Keep timing after the choice is made, and fall back when it gets slower.
    bool watch = true;
    /// What choosing is likely to save of a call: it waits until the calls so far would have saved
    /// what it takes. 0: it does not wait for that.
    double likely_saving = 0;
    int trials = 3;  ///< timed calls of an offer, taking turns with what it is compared with
    /// After a conversion at most so many calls do not count, until they have settled (see
    /// settling.hpp). They are made as long as the promise bears them. With more than one, turns
    /// would push each other's matrix out of the caches: the calls that count follow one another as
    /// well, and are compared with settled calls before the trial.
    int settling = 1;
};

/// Calls of plain CSR before the contract began, and what has been spent beside them, which counts
/// against the promise.
struct Past {
    long long calls = 0;
    std::vector<double> times;  ///< of some of the calls, us
    double spent_us = 0;
};

/// Microseconds, as predicted.
struct Offer {
    double call_us = 0;
    double convert_us = 0;
    int algorithm = 0;  ///< any number that offers of the same one share; 0: that of plain CSR
};

class Contract {
  public:
    /// Plain CSR is number 0, offers count from 1, in the order of preference. `plain_us` as
    /// predicted on the same scale as the offers.
    Contract(const Terms& terms, double plain_us, const std::vector<Offer>& offers,
             const Past& past = {});

    /// An offer that should be converted before the first call; 0: none.
    int in_advance() const;

    struct Step {
        int run = 0;
        bool convert = false;  ///< first; where that fails, call refused() and next() again
        bool timed = false;
    };
    /// What to do with the next call.
    Step next();

    void converted(int offer, double us);
    /// Converting to it is now predicted to take so long, if it has not been measured.
    void expect_conversion(int offer, double us) { state_of(offer).predicted.convert_us = us; }
    /// Other values need no conversion of it: what is converted reads the caller's own.
    void shares_values(int offer);
    /// It cannot be had, which took so long to find out.
    void refused(int offer, double us);
    /// The call of the last step; 0 where it was not timed.
    void called(double us);

    /// So many calls have been made while it was at rest, as long as those before.
    void rested(long long calls);

    /// The values of A have changed, so that what is converted is of no more use. Returns an offer
    /// that is worth converting again at once, to be followed by converted(); 0: none.
    int values_changed();

    /// Keeps what is active until values_changed(): nothing else will be converted or tried.
    void close();

    int active() const { return active_; }
    /// Nothing will be converted or tried any more without values_changed(); a CPU's plan may go
    /// back to plain CSR.
    bool settled() const { return closed_ && !in_doubt(); }
    /// Nothing will ever change any more without values_changed().
    bool at_rest() const;
    /// The offer that calls have left although it is faster, since some of them were disturbed: it
    /// is used again as soon as what they took beyond the promise has been earned; 0: none.
    int paused() const { return paused_; }
    /// An offer that has been dropped for good and needs no storage.
    bool dropped(int offer) const { return state_of(offer).state == State::dropped; }
    /// It may be the fastest all the same: the promise did not bear the calls that would tell.
    bool unaffordable(int offer) const { return state_of(offer).unaffordable; }
    /// The offer that pauses while plain CSR is measured again; 0: none.
    int compared() const { return phase_ == Phase::audit ? trial_ : 0; }
    /// How many have been dropped.
    int drops() const { return drops_; }
    /// Median of what was measured, else what is predicted.
    double call_us(int which) const;
    /// Median of the timed calls; 0 where there are none.
    double measured_us(int which) const;
    /// What the last conversion took; 0 where there was none.
    double converted_us(int which) const;
    long long calls() const { return calls_; }
    double balance_us() const { return balance_; }

  private:
    enum class Phase { plain, waiting, trial, audit, settled };
    enum class State { waiting, converted, proven, dropped };
    struct Known {
        Offer predicted;
        State state = State::waiting;
        LastTimes times;
        double convert_us = 0;      ///< measured; 0: not yet
        bool unaffordable = false;  ///< dropped for what further calls might have cost
    };

    static constexpr int kPlainFirst = 2;    ///< calls of plain CSR before anything is decided
    static constexpr double kBetter = 0.98;  ///< of the time of what it replaces
    /// A second such call of a trial ends it, and the first one where the promise does not bear
    /// another: one may have been disturbed.
    static constexpr double kHopeless = 1.5;
    /// Who does not know how many calls are to come converts when those so far would have saved
    /// what it costs, divided by this: most programs that have made so many make more.
    static constexpr double kBold = 1.25;
    /// The first call after a conversion meets nothing in any cache. Up to so many times plain CSR
    /// it says nothing.
    static constexpr double kCold = 2.5;

    Known& state_of(int which) { return known_[static_cast<std::size_t>(which)]; }
    const Known& state_of(int which) const { return known_[static_cast<std::size_t>(which)]; }
    double plain_us() const { return call_us(0); }
    /// What calls may spend: the promise allows for the worst conversion.
    double spare_us() const { return balance_ + overrun_us_; }
    double scale() const;
    double scale_beside_active() const;
    double saving(int offer) const;
    bool may_save(int offer) const;
    double convert_us(int which) const;
    bool earning() const;
    double reserve_us() const;
    bool takes_turns() const { return terms_.settling == 1; }
    bool worth_a_look(int offer) const;
    double cost_us(int offer) const;
    double short_us(int offer) const;
    bool pays(int offer, double calls) const;
    bool due(int offer) const;
    bool due_soon(int offer) const;
    int next_due() const;
    void open_account();
    Step begin_trial(int offer, bool convert);
    bool strikes_out(double us);
    void warmed_up(double us);
    void fail_trial();
    void end_trial();
    bool overspent(double excess_us);
    void begin_audit();
    void end_audit();
    void settle_or_wait();
    void drop(int offer);
    void resume();
    bool checking() const { return checks_left_ > 0 && active_ != 0; }
    /// Whether it is still to be seen if what is trusted is as fast as it was measured.
    bool in_doubt() const { return checking() || (terms_.trusted && phase_ == Phase::audit); }
    bool watches() const;
    bool knows_plain() const;
    void settle_plain(double us);
    void check(double us);
    bool is_doubtful(int offer, double plain_us) const;
    void judge_early();
    void lose_trust();
    /// One more than the last offer that may be converted.
    int end_of_offers() const;

    Terms terms_;
    std::vector<Known> known_;
    Phase phase_ = Phase::plain;
    bool closed_ = false;  ///< has settled, with these values
    int active_ = 0, trial_ = 0, paused_ = 0, drops_ = 0;
    int tried_ = 0;                          ///< offers that have been converted
    double took_us_ = 0, predicted_us_ = 0;  ///< their conversions
    int runs_left_ = 0;                      ///< of the trial or audit
    int strikes_ = 0;                        ///< hopeless calls of the trial or check
    int checks_left_;  ///< calls of what is trusted that are still to be timed
    bool trial_turn_ = false;
    /// The next call of the trial does not count: it follows a conversion, or some calls that do.
    bool warm_up_ = false;
    /// It waits until so much is to spare: by how much its first call, which did not count, was
    /// slower than plain CSR.
    double cold_us_ = 0;
    bool waited_ = false;
    int waits_left_ = 0;
    Settling settling_{0};
    int before_ = 0;            ///< what was run before the last call
    Settling after_change_{0};  ///< since it was something else
    Step last_;
    long long calls_ = 0, epoch_calls_ = 0, past_calls_ = 0;
    int epochs_ = 1;
    double balance_ = 0;
    double overrun_us_ = 0;  ///< by how much the worst conversion passed its prediction
    struct Calls {
        long long calls = 0;
        double us = 0;
    };
    Calls unpriced_;  ///< before the time of plain CSR was known
    /// Of calls of the active offer that took longer than promised.
    struct Debt {
        double us = 0;        ///< in sum, less what faster ones have saved since
        double most_us = 0;   ///< of one call
        long long calls = 0;  ///< since there is a debt
        double plain_us = 0;  ///< a call of plain CSR, as known when the audit began
    };
    Debt debt_;
};

}  // namespace sptune::tuner
