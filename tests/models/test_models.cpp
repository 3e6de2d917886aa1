// Learning, choosing and evaluating on made-up sweeps.
#include "matrix/error.hpp"
#include "models/behind.hpp"
#include "models/bestsf.hpp"
#include "models/evaluate.hpp"
#include "models/folds.hpp"
#include "models/inputs.hpp"
#include "models/nearest.hpp"
#include "tests/db/scratch.hpp"
#include "tests/models/entries.hpp"

#include <set>

#include <gtest/gtest.h>

namespace sptune::models {
namespace {

TreeOptions quick() {
    TreeOptions o;
    o.folds = 0;
    return o;
}

TEST(Groups, SiblingsShareOne) {
    EXPECT_EQ(group_of("stencil-2d-5--017"), "stencil-2d-5");
    EXPECT_EQ(group_of("bcsstk13"), group_of("bcsstk14"));
    EXPECT_EQ(group_of("kkt_BOYD2"), "kkt");
    EXPECT_EQ(group_of("80bau3b"), "80bau3b");
    EXPECT_EQ(group_of("n1024-l10"), "n1024-l10") << "one letter is no family";
    EXPECT_EQ(group_of(""), "");
}

TEST(Folds, AreComplementsAndNeverSplitAGroup) {
    const auto samples = made_samples();
    const auto all = pointers(samples);
    std::size_t tested = 0;
    for (int i = 0; i < 4; ++i) {
        const Fold fold = fold_of(all, 4, i);
        EXPECT_EQ(fold.train.size() + fold.test.size(), all.size());
        tested += fold.test.size();
        std::set<std::string> train, test;
        for (const Sample* s : fold.train) train.insert(s->group);
        for (const Sample* s : fold.test) test.insert(s->group);
        for (const std::string& group : test) EXPECT_FALSE(train.contains(group)) << group;
    }
    EXPECT_EQ(tested, all.size());
}

TEST(Portfolio, KeepsTheUsefulAndOneOfEachFormat) {
    const auto samples = made_samples();
    const auto names = choose_portfolio(pointers(samples));
    ASSERT_EQ(names.size(), 3u);
    EXPECT_EQ(names[0], "csr.static.x32.l1.u1.wn") << "the baseline comes first";
    const std::set<std::string> rest(names.begin() + 1, names.end());
    EXPECT_TRUE(rest.contains("sell.simd.c8.s1.x32.wn"));
    EXPECT_TRUE(rest.contains("dia.rows.fn.u4.wn"));
}

TEST(Squeeze, IsMonotoneAndInvertible) {
    EXPECT_DOUBLE_EQ(squeeze(0), 0);
    for (const double r : {0.01, 0.1, 1.0, 3.0, 10.0}) {
        EXPECT_GT(squeeze(r), squeeze(0.9 * r));
        EXPECT_NEAR(unsqueeze(squeeze(r)), r, 1e-9);
    }
    EXPECT_TRUE(std::isfinite(unsqueeze(2)) && std::isfinite(unsqueeze(-100)));
}

template <class Model>
void expect_right_on_unseen(const Model& model) {
    const auto bands = made_sample("unseen", 0, true, 40'000, 9);
    EXPECT_EQ(chosen_by(model, bands, 0).variant.format, "dia");
    const auto large = made_sample("unseen", 1, false, 50'000, 9);
    EXPECT_EQ(chosen_by(model, large, 0).variant.format, "sell");
    const auto small = made_sample("unseen", 2, false, 700, 9);
    EXPECT_EQ(chosen_by(model, small, 0).variant.format, "csr");
}

TEST(Models, ChooseRightForUnseenMatrices) {
    const auto samples = made_samples();
    const auto all = pointers(samples);
    expect_right_on_unseen(TreeModel::train(all, quick()));
    expect_right_on_unseen(BestSf::train(all));
    expect_right_on_unseen(Nearest(all));
}

TEST(Trees, PredictTimesAndConversions) {
    const auto samples = made_samples();
    const TreeModel model = TreeModel::train(pointers(samples), quick());
    const Sample s = made_sample("unseen", 0, true, 40'000, 9);
    std::vector<Option> options;
    for (const Timed& t : s.timed) options.push_back({&t.variant, 0});
    const auto p = model.predict(s.features, s.device, options);
    EXPECT_NEAR(p[0].time_us, s.timed[0].us, 0.35 * s.timed[0].us);
    EXPECT_NEAR(p[3].time_us / p[0].time_us, 0.3, 0.1);
    EXPECT_EQ(p[0].convert_us, 0) << "CSR as it is";
    EXPECT_NEAR(p[1].convert_us / p[0].time_us, 5, 1.5);
    EXPECT_FALSE(model.knows(s.timed[2].variant));
    EXPECT_TRUE(std::isinf(p[2].time_us)) << "c4 is not in the portfolio";
    EXPECT_TRUE(chosen_by(model, s, 3).variant.format == "csr") << "three calls repay nothing";
}

db::Device unmeasured(db::Device device) {
    device.bandwidth_gbs = 0, device.bandwidth_curve.clear();
    return device;
}

/// Predicted of plain CSR.
double plain_us(const TreeModel& model, const Sample& s, const db::Device& device) {
    const std::vector<Option> plain{{&s.timed[0].variant, 0}};
    return model.predict(s.features, device, plain)[0].time_us;
}

TEST(Trees, KnowTheBandwidthOfDevicesThatTheyLearnedFrom) {
    const auto samples = made_samples();
    const TreeModel model = TreeModel::train(pointers(samples), quick());
    const Sample s = made_sample("unseen", 0, true, 40'000, 9);
    const auto us = [&](const db::Device& device) { return plain_us(model, s, device); };
    db::Device unknown = unmeasured(s.device);
    EXPECT_DOUBLE_EQ(us(unknown), us(s.device));
    EXPECT_EQ(model.bandwidths_of(unknown).size(), s.device.bandwidth_curve.size());
    db::Device faster = s.device;
    for (db::BandwidthPoint& point : faster.bandwidth_curve) point.gbs *= 2;
    EXPECT_LT(us(faster), us(s.device));
    unknown.key = "other";
    EXPECT_NE(us(unknown), us(s.device));
    EXPECT_TRUE(model.bandwidths_of(unknown).empty());
}

TEST(Trees, TakeTheBandwidthOfTheDeviceMostAlike) {
    auto samples = made_samples();
    for (std::size_t i = 0; i < samples.size(); ++i) {
        db::Device& d = samples[i].device;
        d.key = i % 2 ? "maker-one-32m-2t" : "maker-one-64m-4t";
        if (i % 2 == 0)
            for (db::BandwidthPoint& point : d.bandwidth_curve) point.gbs *= 3;
    }
    const TreeModel model = TreeModel::train(pointers(samples), quick());
    const Sample s = made_sample("unseen", 0, true, 40'000, 9);
    const auto us = [&](const std::string& key) {
        db::Device device = unmeasured(s.device);
        device.key = key;
        return plain_us(model, s, device);
    };
    EXPECT_NE(us("maker-one-32m-2t"), us("maker-one-64m-4t"));
    EXPECT_EQ(us("maker-two-32m-2t"), us("maker-one-32m-2t"));
    EXPECT_EQ(us("maker-two-64m-4t"), us("maker-one-64m-4t"));
    EXPECT_NE(us("someone-one-64m-4t"), us("maker-one-64m-4t"));
    EXPECT_EQ(us("someone-one-64m-4t"), us("someone"));
    // As many threads count before all that makes the names alike, as a number, not as digits.
    EXPECT_EQ(us("maker-one-64m-2t"), us("maker-one-32m-2t"));
    EXPECT_EQ(us("maker-one-64m-40t"), us("maker-one-64m-4t"));
    EXPECT_EQ(us("maker-one-32m-16t"), us("maker-one-64m-4t"));
    EXPECT_GT(us("maker-one-64m-1t"), us("maker-one-32m-2t")) << "half of what two have";
    EXPECT_LT(us("maker-one-64m-1t"), 2.1 * us("maker-one-32m-2t"));
}

TEST(Trees, CoverTheirBackendAndDoubtOtherDevices) {
    const auto samples = made_samples();
    TreeOptions options;
    options.folds = 3;
    const TreeModel model = TreeModel::train(pointers(samples), options);
    EXPECT_TRUE(model.covers(Op::spmv, ValueType::f32, cpu()));
    EXPECT_FALSE(model.covers(Op::spgemm, ValueType::f64, cpu()));
    EXPECT_FALSE(model.covers(Op::spmv, ValueType::f64, gpu()));
    const Features f = band(40'000, 9);
    db::Device other = cpu();
    other.key = "other";
    Variant sell, unheard;
    sell.format = "sell";
    unheard.format = "unheard";
    EXPECT_GT(model.confidence(sell, f, cpu()), 0.7);
    EXPECT_LT(model.confidence(sell, f, other), model.confidence(sell, f, cpu()));
    EXPECT_EQ(model.confidence(unheard, f, cpu()), 0.5);
}

TEST(BestSf, WeighsWhatTheWrongChoiceCosts) {
    // One place, two opinions: SELL a little faster ten times, CSR much faster three times.
    std::vector<Sample> samples;
    for (int i = 0; i < 13; ++i) {
        Sample s = made_sample("x", i, false, 10'000, 10);
        s.timed.resize(2);
        s.timed[0].us = 100, s.timed[1].us = i < 10 ? 97 : 400;
        samples.push_back(s);
    }
    const BestSf model = BestSf::train(pointers(samples));
    EXPECT_EQ(chosen_by(model, samples[0], 0).variant.format, "csr");
}

TEST(BestSf, FeaturesDoNotOverflow) {
    Features f = even_rows(2'000'000'000, 5);
    EXPECT_DOUBLE_EQ(bestsf_inputs(f)[4], 10e9 / 4e18);
}

TEST(Inputs, AreFiniteAndNamed) {
    for (const Features& f : {Features{}, even_rows(1, 1), band(100, 3)}) {
        const auto x = inputs(f, cpu(), ValueType::f64);
        EXPECT_EQ(x.size(), input_names().size());
        for (std::size_t i = 0; i < x.size(); ++i)
            EXPECT_TRUE(std::isfinite(x[i])) << input_names()[i];
    }
    const std::set<std::string> names(input_names().begin(), input_names().end());
    EXPECT_EQ(names.size(), input_names().size()) << "a name occurs twice";
}

TEST(Evaluate, OneFamilyIsCutByMatrix) {
    auto samples = made_samples();
    for (Sample& s : samples) s.group = "all";
    EvaluateOptions options;
    options.folds = 4;
    const Evaluation e = evaluate(samples, options);
    EXPECT_EQ(e.groups, 1);
    EXPECT_EQ(e.scores[0].matrices, 120);
    EXPECT_EQ(e.protocol, "4 folds by matrix, since all are of one family");
    samples.resize(1);
    EXPECT_THROW(evaluate(samples, options), NothingToTest);
}

TEST(Evaluate, ScoresWhatIsKnown) {
    const auto samples = made_samples();
    EvaluateOptions options;
    options.folds = 5;
    const Evaluation e = evaluate(samples, options);
    EXPECT_EQ(e.matrices, 120);
    EXPECT_EQ(e.groups, 10);
    ASSERT_EQ(e.scores.size(), 6u) << "no vendor in these sweeps";
    EXPECT_EQ(e.scores[0].name, "trees");
    EXPECT_EQ(e.scores[0].matrices, 120);
    EXPECT_LT(e.scores[0].geomean, 0.02);
    EXPECT_EQ(e.scores[4].name, "trees, tried");
    EXPECT_LE(e.scores[4].geomean, e.scores[0].geomean);
    const Score& csr = e.scores[5];
    EXPECT_EQ(csr.name, "always CSR");
    EXPECT_EQ(csr.slower, 0);
    double log_sum = 0;
    for (const Sample& s : samples) {
        double best = 1e300;
        for (const Timed& t : s.timed) best = std::min(best, t.us);
        log_sum += std::log(s.timed[0].us / best);
    }
    EXPECT_NEAR(csr.geomean, std::expm1(log_sum / 120), 1e-9);
    EXPECT_NEAR(csr.misses[0].regret, 1 / 0.3 - 1, 1e-9);
    int counted = 0;
    for (const auto& [best, row] : csr.confusion)
        for (const auto& [chosen, n] : row) counted += n;
    EXPECT_EQ(counted, 120);
}

TEST(Evaluate, SeveralDevicesHaveALineEach) {
    auto samples = made_samples();
    EvaluateOptions options;
    options.folds = 2;
    options.trees = TreeOptions{}, options.trees->forest.trees = options.trees->side.trees = 5;
    EXPECT_TRUE(evaluate(samples, options).by_device.empty()) << "there is one";
    for (std::size_t i = 0; i < samples.size(); i += 4) samples[i].device.key = "another";
    const Evaluation e = evaluate(samples, options);
    ASSERT_EQ(e.by_device.size(), 2u);
    EXPECT_EQ(e.by_device[0].name, "another");
    EXPECT_EQ(e.by_device[0].matrices, 30);
    EXPECT_EQ(e.by_device[1].matrices, 90);
    EXPECT_NEAR(120 * std::log1p(e.scores[0].geomean),
                30 * std::log1p(e.by_device[0].geomean) + 90 * std::log1p(e.by_device[1].geomean),
                1e-9);
}

TEST(Evaluate, SweepsThatWereRepeatedTellHowFarTimesRepeatThemselves) {
    auto samples = made_samples();
    EvaluateOptions options;
    options.folds = 2;
    options.trees = TreeOptions{}, options.trees->forest.trees = options.trees->side.trees = 5;
    EXPECT_EQ(evaluate(samples, options).scores.back().name, "always CSR") << "none was repeated";

    const auto fastest = [](Sample& s) {
        return std::min_element(s.timed.begin(), s.timed.end(),
                                [](auto& a, auto& b) { return a.us < b.us; });
    };
    Sample again = samples[3];
    fastest(again)->us *= 3;  // was disturbed
    fastest(again)->us = 0.5 * samples[3].baseline_us();
    const double best = fastest(samples[3])->us, other = 0.5 * samples[3].baseline_us();
    const Variant theirs = fastest(again)->variant;
    samples.push_back(again);
    const Score score = evaluate(samples, options).scores.back();
    EXPECT_EQ(score.name, "another sweep's best");
    ASSERT_EQ(score.matrices, 2);
    double behind_first = 0, behind_again = 0;
    for (const Timed& t : samples[3].timed)
        if (short_name(t.variant) == short_name(theirs)) behind_first = t.us / best;
    for (const Timed& t : again.timed)
        if (short_name(t.variant) == short_name(fastest(samples[3])->variant))
            behind_again = t.us / other;
    EXPECT_GT(behind_first, 1);
    EXPECT_GT(behind_again, 1);
    EXPECT_NEAR(score.geomean, std::sqrt(behind_first * behind_again) - 1, 1e-9);
    EXPECT_EQ(score.without_luck.matrices, 2);
    EXPECT_EQ(score.without_luck.geomean, 0) << "against itself";
    const Evaluation e = evaluate(samples, options);
    const Score& csr = *std::ranges::find(e.scores, "always CSR", &Score::name);
    EXPECT_EQ(csr.without_luck.matrices, 2) << "the others were swept once";
    const double fastest_elsewhere = std::sqrt(behind_first * best * behind_again * other);
    EXPECT_NEAR(csr.without_luck.geomean, samples[3].baseline_us() / fastest_elsewhere - 1, 1e-9);
    EXPECT_NEAR(csr.without_luck.p95,
                samples[3].baseline_us() / std::min(behind_first * best, behind_again * other) - 1,
                1e-9);

    samples.back().kernel_hashes["sell"] = samples.back().kernel_hashes["dia"] = "changed";
    EXPECT_EQ(evaluate(samples, options).scores.back().name, "always CSR") << "other kernels";
    samples.back().kernel_hashes = again.kernel_hashes;

    samples.back().timed.erase(
        std::find_if(samples.back().timed.begin(), samples.back().timed.end(), [&](const Timed& t) {
            return short_name(t.variant) == short_name(fastest(samples[3])->variant);
        }));
    EXPECT_NE(evaluate(samples, options).scores.back().matrices, 2)
        << "the other had not the best one on offer";
}

TEST(Evaluate, HeldOutMatricesAreTheOnesTested) {
    const auto samples = made_samples();
    EvaluateOptions options;
    options.hold_out = "familya--*,familyb--*";
    EXPECT_EQ(evaluate(samples, options).scores[0].matrices, 24);
    options.hold_out = "nothing*";
    EXPECT_THROW(evaluate(samples, options), Error);
    EXPECT_THROW(evaluate({}, {}), Error);
}

TEST(Samples, ASkippedKernelIsAsSlowAsItsRelatives) {
    db::Entry entry;
    entry.device = gpu(), entry.features = even_rows(1000, 5);
    entry.matrix.nnz = entry.features.nnz;
    const auto add = [&](const char* format, Params params, double us) {
        db::Candidate c;
        c.backend = "cuda", c.format = format, c.algorithm = "a", c.params = std::move(params);
        c.id = format + to_string(c.params);
        c.status = us > 0 ? db::Status::ok : db::Status::bounded;
        if (us > 0) c.time = db::TimeUs{us, 0, us, {}};
        entry.candidates.push_back(c);
    };
    add("csr", {{"b", 64}}, 100);
    add("coo", {{"b", 64}}, 10);
    add("sell", {{"c", 4}, {"s", 1}, {"b", 64}}, 5000);
    add("sell", {{"c", 4}, {"s", 1}, {"b", 256}}, 0);
    add("sell", {{"c", 4}, {"s", 64}, {"b", 256}}, 0);
    add("sell", {{"c", 8}, {"s", 1}, {"b", 64}}, 0);  // not the same slices: nothing is known
    entry.baseline = entry.candidates.front().id;
    const auto sample = sample_of(entry);
    ASSERT_TRUE(sample);
    ASSERT_EQ(sample->timed.size(), 6u);
    EXPECT_EQ(sample->timed[3].us, 5000);
    EXPECT_EQ(sample->timed[4].us, 5000);
    EXPECT_EQ(sample->timed[5].us, 12.5);
}

TEST(Samples, AreOfStoredValues) {
    db::Entry entry;
    entry.device = cpu(), entry.features = even_rows(100'000, 5);
    entry.matrix.nnz = entry.features.nnz;
    for (const int c : {4, 8}) {
        db::Candidate sell;
        sell.backend = "cpu", sell.format = "sell", sell.algorithm = "simd";
        sell.params = {{"c", c}};
        sell.id = to_string(sell.params);
        sell.status = db::Status::ok;
        sell.time = db::TimeUs{100, 0, 100, {}};
        entry.candidates.push_back(sell);
    }
    entry.baseline = entry.candidates.front().id;
    ASSERT_TRUE(sample_of(entry));
    EXPECT_EQ(sample_of(entry)->timed[1].us, 100);
    entry.provenance.one_value = true;
    EXPECT_EQ(sample_of(entry)->timed[0].us, 100) << "stores them always";
    EXPECT_GT(sample_of(entry)->timed[1].us, 110);
}

TEST(Samples, SweepsThatEndedEarlyCountWhereThereAreNoOthers) {
    const db::Scratch scratch;
    const db::Store store(scratch / "db");
    db::Entry entry;
    entry.device = cpu(), entry.features = even_rows(1000, 5);
    entry.value = ValueType::f64, entry.cache = "warm";
    entry.matrix.rows = entry.matrix.cols = 1000, entry.matrix.nnz = entry.features.nnz;
    db::Candidate c;
    c.backend = "cpu", c.format = "csr", c.algorithm = "static", c.id = "spmv.cpu.csr.static";
    c.status = db::Status::ok, c.time = db::TimeUs{10, 0, 10, {}};
    entry.candidates = {c}, entry.baseline = entry.winner = c.id;
    entry.provenance.created_utc = "2026-01-31T12:00:00Z";
    const auto save = [&](const char* name, std::uint64_t fingerprint, bool complete) {
        entry.matrix.name = name, entry.complete = complete;
        entry.matrix.fingerprint = entry.features.fingerprint = fingerprint;
        store.save(entry);
    };
    save("early", 1, false);
    ASSERT_EQ(read_samples(store, "cpu").size(), 1u);
    save("whole", 2, true);
    ASSERT_EQ(read_samples(store, "cpu").size(), 1u);
    EXPECT_EQ(read_samples(store, "cpu").front().name, "whole");
    entry.device.backend = "cuda", entry.device.key = "another";
    save("of the other side", 3, false);
    EXPECT_EQ(read_samples(store).size(), 2u) << "each side by itself";
}

}  // namespace
}  // namespace sptune::models
