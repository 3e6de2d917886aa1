// The search for the fastest of many candidates: everything that does not depend on what they
// compute. sweep.cpp turns kernels and a matrix into contenders; short_run.cpp holds the beginning,
// second_look.cpp what speeds that change ask for, finals.cpp the successive halving and the
// interleaved end.
#pragma once

#include "db/entry.hpp"
#include "tuner/journal.hpp"
#include "tuner/shelf.hpp"
#include "tuner/sweep.hpp"
#include "tuner/verify.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sptune::tuner {

/// One candidate as the search sees it: what it is, and how to prepare, check and run it.
struct Contender {
    Variant variant;
    std::function<Footprint()> inspect;
    std::function<std::unique_ptr<Storage>()> convert;
    std::function<Verdict(const Storage&)> verify;
    std::function<void(const Storage&)> run;  ///< the call that is timed
    std::string inspected_as = {};  ///< those with the same are inspected once; empty: the layout
};

/// What all contenders of one matrix share.
struct Scene {
    const db::Device* device = nullptr;
    std::string baseline;            ///< id
    double flops = 0;                ///< of one call
    std::uint64_t csr_bytes = 0;     ///< what Limits::storage_factor refers to
    std::uint64_t vector_bytes = 0;  ///< x and y, as counted in Candidate::bytes
    std::uint64_t least_bytes = 0;   ///< of x and y that no kernel can help moving
};

/// How much work each stage gets. By arithmetic, not yet measured: 400 candidates of 8 ms take
/// about half a minute without their conversions, 400 of 5 µs two seconds.
struct Effort {
    double short_us = 3000;  ///< a candidate's short run lasts this long ...
    double short_calls = 5;  ///< ... or this many calls, whichever is longer
    /// Not worth more than the verifying calls: slower than the best by this factor and by this
    /// much. Long calls suffer less from a hiccup, so a smaller factor will do.
    double hopeless = 3, hopeless_long = 1.5, long_us = 5000, hiccup_us = 50;
    /// On a CPU calls that seem so slow and take that long, in microseconds, may have waited for a
    /// core that did something else, and are made up to so many times more.
    double waited_least_us = 1000, waited_most_us = 20000;
    int waited_calls = 2;
    /// Behind the best by this factor, a candidate answers for those that differ from it in the
    /// block size alone, or in the block size and σ. Where one row is long, a few slow kernels
    /// would take longer than all others together.
    double lost = 20, lost_by_far = 100;
    /// Second look of a CPU, whose speed may change by tens of percent within milliseconds: who is
    /// not further behind than this factor gives samples at so many moments, fewer where that would
    /// take longer than this. From least_rounds on they decide without another final.
    double again_factor = 3;
    int again_rounds = 32;
    double again_us = 1'500'000;
    int settling_calls = 16;        ///< at most (see settling.hpp)
    double settling_turn = 4;       ///< by which they make a turn longer
    double hopeless_unsettled = 9;  ///< `hopeless` of its verifying calls
    double chances_us = 300'000;    ///< for a visit to those that are further behind, before
    std::size_t few_samples = 2;    ///< of a GPU's candidate that was given up at once
    /// Survivors of these, whose times are off by a few percent, seldom by more than 10 %.
    std::size_t survivors = 16;
    double survivor_factor = 1.3;
    std::size_t finalists = 6;  ///< besides the baseline and the vendor's
    int visit = 3;              ///< samples in a row before the next contender has its turn
    double batch_us = 100;      ///< and each of those lasts so long at least
    int least_rounds = 5, most_rounds = 40;
    double final_us = 1'500'000;  ///< no new round of the final after this, once there were enough
    double search_share = 0.75;   ///< of the budget; the rest is kept for the finals
};

class Search {
  public:
    struct Outcome {
        std::vector<db::Candidate> candidates;  ///< in the order of the contenders
        std::string winner;                     ///< id; empty when nothing was measured
        Ended ended = Ended::complete;
    };

    Search(std::vector<Contender> contenders, Scene scene, const SweepOptions& options);
    /// All candidates as they stand, in the order of the contenders.
    std::vector<db::Candidate> candidates() const;
    Outcome run();

  private:
    struct Runner {
        Contender contender;
        db::Candidate record;
        Footprint footprint;
        std::uint64_t known_bytes = 0;         ///< lower bound of what one call reads of A
        const db::Candidate* prior = nullptr;  ///< an earlier time that still counts
        const db::Candidate* known = nullptr;  ///< found by an earlier process of this sweep
        Timing timing;                         ///< of the present stage
        bool anchor = false;  ///< baseline, vendor, guest: measured first, never skipped as bounded
        std::size_t turn = 0;       ///< its place among SweepOptions::likely
        bool looked_again = false;  ///< its time is the median of several moments

        const std::string& layout() const { return contender.variant.layout; }
        const std::string& inspected_as() const {
            return contender.inspected_as.empty() ? layout() : contender.inspected_as;
        }
        bool ok() const { return record.status == db::Status::ok; }
        /// What it is judged by. A short run counts by its minimum: disturbances only ever add
        /// time, and who was disturbed deserves another look.
        double judged_us() const { return looked_again ? record.time->median : record.time->min; }
        /// Where calls wait for their launches, many are judged alike.
        std::pair<double, double> rank() const {
            return {judged_us(), record.device_us.value_or(0)};
        }
    };
    using Field = std::vector<Runner*>;

    // Short run.
    bool comes_first(const Runner& runner) const;
    void inspect(bool first);
    Field short_run_order(bool first);
    void short_run(bool first);
    void evaluate(Runner& runner);
    void count_launches_anew(db::Candidate& candidate) const;
    void take_prior(Runner& runner);
    void take_known(Runner& runner);
    bool bounded(Runner& runner, std::uint64_t matrix_bytes);
    bool like_a_hopeless_one(Runner& runner);
    void place(Runner& runner);
    bool is_hopeless(const Runner& runner, double call_us) const;
    double without_waiting(const Runner& runner, const Storage& converted, double call_us) const;
    void learn(const Runner& runner);

    // Second look.
    void give_another_chance();
    void look_again();
    static int drop_disturbed_rounds(const Field& field, int samples);
    static bool disturbed(const Field& field);

    // Finals.
    void halve();
    void final();
    bool far_behind(const Runner& runner) const;
    Field anchors();
    void invite_anchors();
    bool decided() const;
    bool fits(const Field& field) const;
    void start_race(const Field& field);
    bool race(Field& field, int round, int samples);
    bool affords(const Field& field, int rounds, int samples) const;
    static void keep_rounds(const Field& field, int rounds, int samples);
    void settle(const Field& field, const std::string& stage);

    // Both.
    Field leaders(std::size_t most);
    Field close_to_best(std::size_t most, double factor);
    void record_time(Runner& runner, const Timing& timing);
    const Shelf::Item& convert(Runner& runner);
    bool guard(Runner& runner, const char* phase, const std::function<void()>& work);
    void enter(const Runner& runner, const char* phase);
    void trim(const Field& field);
    MeasureOptions measure_options(const Runner& runner, bool precise) const;
    bool settles(const Runner& runner) const;
    double least_us(std::uint64_t bytes) const;
    bool stopped() const;
    bool always_measured(const Runner& r) const;
    bool over(double share) const;
    void end_early();
    void report(const std::string& stage, double share, int done, int total);

    std::vector<Runner> runners_;
    Scene scene_;
    SweepOptions options_;
    Effort effort_;
    Shelf shelf_;
    std::string baseline_layout_;
    double start_us_;
    double stage_start_us_ = 0, reported_us_ = -1e18;
    const Runner* best_ = nullptr;               ///< least median so far
    std::map<std::string, const Runner*> lost_;  ///< by what they have in common with others
    double reach_ = 1;                           ///< by how much least_us() turned out too long
    Field final_;  ///< those whose times come from the interleaved final
    Ended ended_ = Ended::complete;
};

}  // namespace sptune::tuner
