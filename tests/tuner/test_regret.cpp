#include "matrix/counter_random.hpp"
#include "tuner/regret.hpp"
#include "tuner/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

namespace sptune::tuner {
namespace {

db::Candidate candidate(const std::string& id, std::vector<double> samples) {
    db::Candidate c;
    c.id = id;
    c.status = db::Status::ok;
    c.reason = "final";
    const Statistics s = summarize(samples);
    c.time = db::TimeUs{s.median, s.mad, s.min, std::move(samples)};
    return c;
}

std::string name(int k) {
    return std::string("k").append(std::to_string(k));
}

/// `count` kernels that take about `us`, with noise of up to 20 %, in 24 samples.
db::Entry alike(int count, double us) {
    db::Entry entry;
    for (int k = 0; k < count; ++k) {
        std::vector<double> samples;
        for (int i = 0; i < 24; ++i) {
            const auto draw = mix64(static_cast<std::uint64_t>(1000 * k + i + 1)) % 1000;
            samples.push_back(us * (0.9 + static_cast<double>(draw) / 5000));
        }
        entry.candidates.push_back(candidate(name(k), std::move(samples)));
    }
    const auto fastest = std::min_element(
        entry.candidates.begin(), entry.candidates.end(),
        [](const auto& a, const auto& b) { return a.time->median < b.time->median; });
    entry.winner = fastest->id;
    return entry;
}

TEST(Regret, LuckIsNotHeldAgainstTheChoice) {
    const db::Entry entry = alike(200, 10);
    const db::Candidate& best = *db::find(entry, entry.winner);
    double sum = 0, apparent = 0;
    for (int k = 0; k < 200; ++k) {
        const std::string id = name(k);
        sum += regret(entry, id).value();
        apparent += db::find(entry, id)->time->median / best.time->median - 1;
    }
    EXPECT_GT(apparent / 200, 0.025) << "what there is without it";
    EXPECT_LT(std::abs(sum / 200), 0.01);
}

TEST(Regret, SlowerIsSlower) {
    db::Entry entry = alike(5, 10);
    entry.candidates.push_back(candidate("slow", std::vector<double>(24, 15)));
    EXPECT_NEAR(regret(entry, "slow").value(), 0.5, 0.05);
    EXPECT_NEAR(regret(entry, entry.winner).value(), 0, 0.05);
}

TEST(Regret, OnlyOfTheSameMoments) {
    db::Entry entry = alike(3, 10);
    db::Candidate early = candidate("early", std::vector<double>(24, 1));
    early.reason = "short run";
    entry.candidates.push_back(early);
    entry.candidates.push_back(candidate("fewer", std::vector<double>(12, 1)));
    EXPECT_FALSE(regret(entry, "early"));
    EXPECT_FALSE(regret(entry, "fewer"));
    EXPECT_FALSE(regret(entry, "unknown"));
    EXPECT_NEAR(regret(entry, "k0").value(), 0, 0.1) << "neither counts as the fastest";
    for (db::Candidate& c : entry.candidates)
        c.time->samples.resize(std::min<std::size_t>(c.time->samples.size(), 11));
    EXPECT_FALSE(regret(entry, "k0")) << "one moment alone";
    entry.winner.clear();
    EXPECT_FALSE(regret(entry, "k0"));
    entry.candidates = {candidate("k0", std::vector<double>(24, 0))};
    entry.winner = "k0";
    EXPECT_FALSE(regret(entry, "k0")) << "nothing is slower than no time at all";
}

}  // namespace
}  // namespace sptune::tuner
