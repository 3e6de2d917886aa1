#include "tuner/decide.hpp"
#include "tuner/explain.hpp"
#include "tuner/join.hpp"
#include "tuner/statistics.hpp"

#include <gtest/gtest.h>

namespace sptune::tuner {
namespace {

db::Candidate candidate(std::string id, std::vector<double> samples, double convert_us,
                        std::uint64_t bytes = 100) {
    db::Candidate c;
    c.id = std::move(id);
    c.status = db::Status::ok;
    c.reason = "final";
    const Statistics s = summarize(samples);
    c.time = db::TimeUs{s.median, s.mad, s.min, std::move(samples)};
    c.convert_us = convert_us;
    c.bytes = bytes;
    return c;
}

std::string winner_of(const std::vector<db::Candidate>& all) {
    std::vector<const db::Candidate*> field;
    for (const auto& c : all) field.push_back(&c);
    return choose(field).id;
}

const std::vector<double> kTen = {10, 10.1, 9.9, 10, 10.1, 9.9, 10, 10.1, 9.9};
const std::vector<double> kAlsoTen = {10.1, 10, 10.05, 9.9, 10.1, 10, 10.1, 9.9, 10};
const std::vector<double> kNine = {9, 9.1, 8.9, 9, 9.1, 8.9, 9, 9.1, 8.9};

TEST(Choose, FasterBeyondNoiseWinsWhateverItsConversion) {
    EXPECT_EQ(winner_of({candidate("a", kTen, 0), candidate("b", kNine, 1e6)}), "b");
}

TEST(Choose, TiesGoToTheCheaperConversionThenBytesThenName) {
    EXPECT_EQ(winner_of({candidate("a", kTen, 900), candidate("b", kAlsoTen, 100)}), "b");
    EXPECT_EQ(winner_of({candidate("a", kTen, 100), candidate("b", kAlsoTen, 0)}), "b");
    EXPECT_EQ(winner_of({candidate("a", kTen, 1), candidate("b", kAlsoTen, 0)}), "b") << "or none";
    // 100 and 110 are the same conversion time; b is smaller.
    EXPECT_EQ(winner_of({candidate("a", kTen, 100), candidate("b", kAlsoTen, 110, 90)}), "b");
    EXPECT_EQ(winner_of({candidate("b", kTen, 100), candidate("a", kAlsoTen, 110)}), "a");
}

TEST(Choose, TiesOfCallsThatWaitForLaunchesGoToTheDevice) {
    db::Candidate a = candidate("a", kTen, 0, 90), b = candidate("b", kTen, 0),
                  c = candidate("c", kTen, 50);
    a.device_us = 3, b.device_us = 2, c.device_us = 1;
    EXPECT_EQ(winner_of({a, b, c}), "b") << "c costs a conversion";
    b.device_us = 3;
    EXPECT_EQ(winner_of({a, b, c}), "a") << "fewer bytes";
    b.device_us = 2;
    db::Candidate unknown = candidate("d", kTen, 0, 80);
    EXPECT_EQ(winner_of({a, b, unknown}), "d") << "not known of all";
}

db::Candidate waiting(const char* id, double convert_us, double device_us, int launches) {
    db::Candidate c = candidate(id, kTen, convert_us);
    c.device_us = device_us, c.launches = launches;
    return c;
}

TEST(Choose, NoiseDoesNotExcuseMoreThanTwoPercent) {
    const std::vector<double> wild = {8, 14, 10.6, 9, 13, 10.6, 8, 14, 10.6};
    EXPECT_EQ(winner_of({candidate("a", wild, 0), candidate("b", kTen, 500)}), "b");
}

db::Entry entry(std::vector<db::Candidate> all) {
    db::Entry e;
    e.matrix.nnz = 50;
    e.baseline = "base";
    e.candidates = std::move(all);
    return e;
}

TEST(Explain, SaysThatCallsWaitForLaunches) {
    db::Entry e =
        entry({candidate("base", kTen, 0), waiting("one", 5, 4, 1), waiting("two", 5, 3, 2)});
    for (double* us : {&e.candidates[1].time->median, &e.candidates[1].time->min}) *us = 5;
    crown(e, e.candidates[1]);
    e.device.host_launch_us = 5;
    EXPECT_NE(why(e, e.candidates[2]).find("waits for its 2 launches"), std::string::npos);
    EXPECT_NE(why_winner(e).find("it waits for its launch, and takes 4.00 µs in a CUDA graph"),
              std::string::npos)
        << why_winner(e);
    e.device.host_launch_us = 2;
    EXPECT_EQ(why(e, e.candidates[2]).find("launches"), std::string::npos) << "waits for none";
    EXPECT_EQ(why_winner(e).find("launch"), std::string::npos);
}

TEST(Explain, SaysThatATieWentByTheTimeInAGraph) {
    db::Entry e = entry({waiting("base", 0, 4, 1), waiting("b", 0, 3, 1)});
    crown(e, e.candidates[1]);
    EXPECT_EQ(why(e, e.candidates[0]), "as fast, but takes longer in a CUDA graph");
}

TEST(Crown, BreakEven) {
    db::Entry e = entry({candidate("base", kTen, 0), candidate("b", kNine, 25)});
    crown(e, e.candidates[1]);
    EXPECT_EQ(e.winner, "b");
    EXPECT_NEAR(e.speedup_vs_baseline, 10.0 / 9, 1e-9);
    EXPECT_DOUBLE_EQ(e.break_even_calls, 25);
    crown(e, e.candidates[0]);
    EXPECT_DOUBLE_EQ(e.speedup_vs_baseline, 1);
    EXPECT_DOUBLE_EQ(e.break_even_calls, 0);
}

TEST(Crown, NeverPaidBack) {
    db::Entry e = entry({candidate("base", kNine, 0), candidate("b", kTen, 25)});
    crown(e, e.candidates[1]);
    EXPECT_EQ(e.break_even_calls, -1);
    e = entry({candidate("base", kNine, 0), candidate("b", kNine, 25)});
    crown(e, e.candidates[1]);
    EXPECT_EQ(e.break_even_calls, -1) << "saves nothing";
}

TEST(Explain, SplitsTimeIntoBytesAndTimePerByte) {
    db::Entry e =
        entry({candidate("base", {20, 20, 20}, 0, 200), candidate("b", {10, 10, 10}, 25, 100),
               candidate("c", {30, 30, 30}, 25, 100)});
    e.candidates[0].stored = 75;
    crown(e, e.candidates[1]);
    EXPECT_EQ(why(e, e.candidates[0]), "2.00x slower: moves 2.00x the bytes (50 % padding)");
    EXPECT_EQ(why(e, e.candidates[1]), "fastest");
    EXPECT_EQ(why(e, e.candidates[2]), "3.00x slower: takes 3.00x the time per byte");
    const std::string sentence = why_winner(e);
    EXPECT_NE(sentence.find("2.00x as fast as the baseline: it moves 0.50x the bytes"),
              std::string::npos)
        << sentence;
    EXPECT_NE(sentence.find("paid back after 3 calls"), std::string::npos) << sentence;
}

TEST(Explain, FailuresAndTies) {
    db::Entry e = entry({candidate("base", kTen, 0), candidate("b", kAlsoTen, 25)});
    crown(e, e.candidates[0]);
    EXPECT_EQ(why(e, e.candidates[1]), "as fast, but dearer to convert");
    e.candidates[1].status = db::Status::illegal;
    e.candidates[1].reason = "a row spans too much";
    EXPECT_EQ(why(e, e.candidates[1]), "illegal: a row spans too much");
    e.winner.clear();
    EXPECT_NE(why_winner(e).find("no winner"), std::string::npos);
}

TEST(Join, KeepsWhatEitherHasMeasured) {
    db::Candidate unreached = candidate("c", kTen, 0);
    unreached.status = db::Status::not_reached;
    unreached.time.reset();
    db::Entry before = entry({candidate("base", kTen, 0), candidate("b", kNine, 25),
                              candidate("c", kTen, 0), candidate("gone", kNine, 0)});
    before.complete = true;
    db::Entry now = entry({candidate("base", kAlsoTen, 0), unreached, candidate("d", kTen, 3)});
    crown(before, before.candidates[3]);
    crown(now, now.candidates[0]);

    before.device.driver = "12.8", now.device.driver = "13.0";
    now.provenance.vendor_library = "cuSPARSE 13";

    const db::Entry both = join(now, before);
    EXPECT_EQ(both.device.driver, "12.8") << "as old as the oldest times";
    EXPECT_EQ(both.provenance.vendor_library, "cuSPARSE 13");
    EXPECT_EQ(both.candidates.size(), 5u);
    EXPECT_EQ(db::find(both, "base")->time->samples, kAlsoTen) << "the later one counts";
    EXPECT_EQ(db::find(both, "c")->status, db::Status::ok);
    EXPECT_EQ(both.winner, "gone");
    EXPECT_FALSE(both.complete);

    before.candidates[2].kernel_hash = "another";
    EXPECT_EQ(db::find(join(now, before), "c")->status, db::Status::not_reached);

    for (db::Candidate& c : before.candidates) c.backend = "cpu", c.format = "sell";
    before.candidates[1].params = {{"c", 8}};
    before.complete = true;
    drop_other_values(before, now);
    EXPECT_TRUE(before.complete) << "both with values";
    now.provenance.one_value = true;
    drop_other_values(before, now);
    EXPECT_EQ(db::find(before, "b"), nullptr);
    EXPECT_NE(db::find(before, "c"), nullptr);
    EXPECT_FALSE(before.complete);

    drop_changed(before, {});
    EXPECT_TRUE(before.candidates.empty());
    EXPECT_EQ(join(now, before).winner, "base");
    EXPECT_EQ(join(now, before).device.driver, "13.0");
}

}  // namespace
}  // namespace sptune::tuner
