#include "kernels/safe.hpp"
#include "models/choosing.hpp"
#include "models/shortlist.hpp"
#include "models/tree_model.hpp"
#include "tests/models/entries.hpp"

#include <gtest/gtest.h>

namespace sptune::models {
namespace {

/// Predicts what it was told, kernel by kernel, and knows no others.
class Told final : public Predictor {
  public:
    explicit Told(std::vector<double> us) : us_(std::move(us)) {}
    std::string name() const override { return "told"; }
    bool covers(Op, ValueType, const db::Device&) const override { return true; }
    bool knows(const Variant&) const override { return true; }
    std::vector<Prediction> predict(const Features&, const db::Device&,
                                    std::span<const Option> options) const override {
        std::vector<Prediction> answers;
        for (std::size_t i = 0; i < options.size(); ++i)
            answers.push_back({us_.at(i), i ? 1000.0 : 0.0});
        return answers;
    }
    double confidence(const Variant&, const Features&, const db::Device&) const override {
        return 1;
    }

  private:
    std::vector<double> us_;
};

/// CSR 100 us, SELL 60 and 70, DIA 30.
Sample four_kernels() {
    Sample s = made_sample("family", 0, true, 10'000, 5);
    s.timed[0].us = 100, s.timed[1].us = 60, s.timed[2].us = 70, s.timed[3].us = 30;
    return s;
}

TEST(WorthTrying, TakesTheNextFourAndTwoOtherAlgorithms) {
    std::vector<Variant> list;
    for (int b = 0; b < 8; ++b)
        list.push_back(variant(Backend::cuda, "sell", "slices", {{"b", 64 + b}}));
    for (const char* format : {"coo", "coo", "ell", "dia"})
        list.push_back(variant(Backend::cuda, format, "rows", {{"b", 64}}));
    std::vector<const Variant*> ranked;
    for (const Variant& v : list) ranked.push_back(&v);
    EXPECT_EQ(worth_trying(ranked), (std::vector<std::size_t>{1, 2, 3, 4, 8, 10}));
    ranked.resize(3);
    EXPECT_EQ(worth_trying(ranked), (std::vector<std::size_t>{1, 2}));
    EXPECT_TRUE(worth_trying({}).empty());
}

TEST(Choosing, TakesTheLeastThatIsWorthwhile) {
    const Sample s = four_kernels();
    EXPECT_EQ(chosen_by(Told({100, 60, 70, 30}), s, 0).variant.format, "dia");
    EXPECT_EQ(chosen_by(Told({100, 60, 70, 30}), s, 10).variant.format, "csr") << "not in 10 calls";
    EXPECT_EQ(chosen_by(Told({100, 98, 99, 98}), s, 0).variant.format, "csr") << "hardly faster";
}

TEST(Choosing, LaunchesDecideOnSmallMatricesOfAGpu) {
    const auto with_safe = [](double rows, std::int64_t longest) {
        Sample s = made_sample("family", 0, true, rows, 5);
        s.device.backend = "cuda", s.device.threads = 132;
        s.features.row_max = longest;
        for (Timed& t : s.timed) t.variant.backend = Backend::cuda;
        const Outline outline{static_cast<index_t>(s.features.rows), s.features.nnz, longest, 132};
        Timed safe = s.timed[1];
        safe.variant = spmv_safe(Backend::cuda, s.value, IndexType::i32, outline);
        s.timed.push_back(safe);
        return s;
    };
    const Sample small = with_safe(4000, 6);
    ASSERT_TRUE(chosen_by_launches(small));
    EXPECT_EQ(chosen_by_launches(small), &small.timed.back());
    EXPECT_EQ(&settled_by(Told({100, 60, 70, 30, 90}), small), &small.timed.back());
    EXPECT_EQ(chosen_at_sight(small, 0), &small.timed.back());
    const Sample skewed = with_safe(4000, 4000);
    EXPECT_FALSE(chosen_by_launches(skewed)) << "a long row";
    EXPECT_EQ(chosen_at_sight(skewed, 0), &skewed.timed.back()) << "tiles suffice";
    EXPECT_FALSE(chosen_at_sight(skewed, 1)) << "their conversion is not repaid";
    EXPECT_FALSE(chosen_at_sight(with_safe(2e6, 6), 0)) << "large";
    EXPECT_FALSE(chosen_at_sight(four_kernels(), 0)) << "of a CPU";
    EXPECT_FALSE(chosen_by_launches(with_safe(2e6, 6))) << "large";
    Sample unknown = with_safe(4000, 6);
    unknown.timed.pop_back();
    EXPECT_FALSE(chosen_by_launches(unknown)) << "the safe kernel was not measured";
    EXPECT_FALSE(chosen_by_launches(four_kernels())) << "of a CPU";
}

TEST(Choosing, SweepsOfSomeDevicesCanCountMore) {
    std::vector<Sample> samples;
    for (int i = 0; i < 90; ++i) {
        Sample s = four_kernels();
        s.name = "family" + std::to_string(i % 6) + "--" + std::to_string(i);
        s.features = band(4000 + 50 * (i / 3), 5);
        const bool rare = i % 3 == 0;  // the others differ from it by nothing that a model sees
        s.device.key = rare ? "rare-cpu" : "common-cpu";
        s.timed[1].us = rare ? 80 : 50, s.timed[2].us = 90, s.timed[3].us = rare ? 50 : 80;
        samples.push_back(std::move(s));
    }
    std::vector<const Sample*> all;
    for (const Sample& s : samples) all.push_back(&s);
    TreeOptions options;
    options.folds = 0, options.forest.trees = 40;
    EXPECT_EQ(chosen_by(TreeModel::train(all, options), samples[0], 0).variant.format, "sell");
    options.weights = {{"rare-*", 5}};
    EXPECT_EQ(chosen_by(TreeModel::train(all, options), samples[0], 0).variant.format, "dia");
    options.weights.clear();
    for (Sample& s : samples) s.times = s.device.key == "rare-cpu" ? 5 : 1;
    EXPECT_EQ(chosen_by(TreeModel::train(all, options), samples[0], 0).variant.format, "dia");
}

TEST(Choosing, TrialsFindWhatPredictionsNearlyFound) {
    const Sample s = four_kernels();
    EXPECT_EQ(chosen_by(Told({100, 60, 70, 64}), s, 0).us, 60);
    EXPECT_EQ(settled_by(Told({100, 60, 70, 64}), s).us, 30) << "a tenth too long";
    EXPECT_EQ(settled_by(Told({100, 60, 70, 95}), s).us, 60) << "too far off to be tried";
    EXPECT_EQ(settled_by(Told({100, 110, 110, 110}), s).us, 60) << "all might be faster than CSR";
    EXPECT_EQ(settled_by(Told({100, 150, 150, 150}), s).us, 100);
}

TEST(Choosing, TrialsRollBackWhatIsSlower) {
    Sample s = four_kernels();
    for (std::size_t i = 1; i < 4; ++i) s.timed[i].us = 200;
    EXPECT_EQ(chosen_by(Told({100, 60, 70, 30}), s, 0).us, 200);
    EXPECT_EQ(settled_by(Told({100, 60, 70, 30}), s).us, 100);
}

}  // namespace
}  // namespace sptune::models
