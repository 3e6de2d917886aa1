// Choices of small matrices at sight, without features or a model: where products wait for
// launches, and where tiles suffice.
#include "models/launch_bound.hpp"
#include "models/small_tiles.hpp"
#include "tests/tuner/selections.hpp"
#include "tuner/plan.hpp"
#include "tuner/select_reasons.hpp"

#include <memory>

#include <gtest/gtest.h>

namespace sptune::tuner {
namespace {

class Told final : public PendingLook {
  public:
    explicit Told(const FirstLook& look) : look_(look) {}
    FirstLook wait() override { return look_; }

  private:
    FirstLook look_;
};

/// As on a GPU that nobody has: kernel 1 is the safe one.
class LaunchesDecide : public Select {
  protected:
    FirstLook look_;
    int looked_ = 0;

    void SetUp() override {
        Select::SetUp();
        options_.constraints.deterministic = true;  // takes launches for what they usually are
        kernels_.push_back(kernel(fake::right, 2, 100, 0));
        kernels_.back().variant.format = "csr", kernels_.back().variant.algorithm = "vector";
        const Features f = extract_features(a_.view(), 1);
        look_ = {f.fingerprint, static_cast<index_t>(f.row_max), true};
    }
    template <class Choose>
    auto with_look(const Choose& choose) {
        Chooser<double, std::int32_t> chooser = choose_for(a_.view(), Backend::cpu, 1);
        chooser.fingerprint = [this] { return ++fingerprinted_, look_.fingerprint; };
        chooser.features = [this] {
            ++extracted_;
            return extract_features(a_.view(), 1);
        };
        chooser.begin_look = [this] { return ++looked_, std::make_unique<Told>(look_); };
        chooser.features_tell_fingerprint = true;
        const KernelIndex<double, std::int32_t> index(kernels_, id(0),
                                                      [this](const Outline&) { return id(1); });
        return choose(chooser, index);
    }
    Selection select() {
        return with_look([this](const auto& chooser, const auto& index) {
            return select_spmv(chooser, index, options_);
        });
    }
    Selection without_model() {
        return with_look([this](const auto& chooser, const auto& index) {
            return select_without_model(chooser, index, options_);
        });
    }
    void expect_by_launches(const Selection& s) const {
        EXPECT_EQ(s.model, models::kLaunchBoundModel);
        EXPECT_EQ(s.source, Source::heuristic);
        EXPECT_EQ(s.chosen.id, id(1));
        EXPECT_EQ(s.safe.id, id(1));
        EXPECT_EQ(s.break_even_calls, 0);
        EXPECT_NE(s.why.find("no kernel is faster in a loop"), std::string::npos) << s.why;
        EXPECT_EQ(extracted_, 0);
        EXPECT_EQ(looked_, 1);
    }
};

TEST_F(LaunchesDecide, WithoutFeatures) {
    const Selection s = select();
    expect_by_launches(s);
    ASSERT_EQ(s.runners_up.size(), 1u);
    EXPECT_EQ(s.runners_up[0].id, id(0));
    EXPECT_GE(s.runners_up[0].predicted_us, s.chosen.predicted_us);
    EXPECT_NE(s.why.find("assumed"), std::string::npos) << s.why;
    EXPECT_EQ(fingerprinted_, 0);
}

TEST_F(LaunchesDecide, WithoutAModelAsWell) {
    expect_by_launches(without_model());
}

TEST_F(LaunchesDecide, NotWhereARowIsLong) {
    look_.longest_row = 4000;
    const Selection by_model = select();
    EXPECT_EQ(by_model.source, Source::model);
    EXPECT_FALSE(by_model.at_sight);
    EXPECT_EQ(extracted_, 1);
    const Selection s = without_model();
    EXPECT_TRUE(s.chosen.id.empty());
    EXPECT_EQ(s.safe.id, id(1)) << "which the look has told";
    EXPECT_EQ(extracted_, 1);
}

TEST_F(LaunchesDecide, NotWhereSomethingElseIsAskedFor) {
    const SelectOptions usual = options_;
    const auto by_model = [&](const char* what) {
        EXPECT_NE(select().model, models::kLaunchBoundModel) << what;
        EXPECT_EQ(looked_, 0) << what;
        options_ = usual;
    };
    options_.at_sight = AtSight::nothing;
    by_model("switched off");
    options_.constraints.variants = "*.fake.*";
    by_model("variants");
    options_.constraints.memory_bytes = 10000;
    by_model("memory");
    options_.constraints.convert_us = 10;
    by_model("conversion");
    options_.constraints.error = 1;
    by_model("an error bound");
}

TEST_F(LaunchesDecide, NotWhereThereAreNoModels) {
    options_.models.emplace();
    EXPECT_TRUE(select().model.empty()) << "plain CSR is all that is left";
}

TEST_F(LaunchesDecide, NotAgainstAStoredMeasurement) {
    store_.save(entry(here()));
    for (const Selection& s : {select(), without_model()}) {
        EXPECT_EQ(s.source, Source::exact);
        EXPECT_TRUE(s.model.empty());
    }
    EXPECT_EQ(looked_, 2);
    EXPECT_EQ(fingerprinted_, 0) << "the look has told it";
    EXPECT_EQ(extracted_, 0);
}

TEST_F(LaunchesDecide, WhereADatabaseKnowsOtherMatricesAlone) {
    store_.save(entry(here()));
    look_.fingerprint += 1;
    const Selection s = select();
    expect_by_launches(s);
    EXPECT_NE(s.why.find("has not been measured on"), std::string::npos) << s.why;
}

TEST_F(LaunchesDecide, WhereWhatIsStoredIsRefused) {
    db::Entry e = entry(here());
    e.provenance.cores_busy = true;
    store_.save(e);
    options_.validate = Validate::strict;
    const Selection s = select();
    expect_by_launches(s);
    EXPECT_NE(s.why.find("Passed over"), std::string::npos) << s.why;
}

/// The safe kernel is csr.tiles, and plain CSR takes as long as threads per row do.
class TilesSuffice : public LaunchesDecide {
  protected:
    void SetUp() override {
        LaunchesDecide::SetUp();
        kernels_[1].variant.algorithm = "tiles";
        kernels_[0].variant.format = "csr", kernels_[0].variant.algorithm = "vector";
        look_.longest_row = 4000;
    }
    void expect_by_model(const char* what) {
        const Selection s = select();
        EXPECT_FALSE(s.at_sight) << what;
        EXPECT_EQ(extracted_, 1) << what;
        extracted_ = 0;
    }
};

TEST_F(TilesSuffice, WhereARowIsLong) {
    const Selection s = select();
    EXPECT_TRUE(s.at_sight);
    EXPECT_EQ(s.model, models::kSmallTilesModel);
    EXPECT_EQ(s.source, Source::heuristic);
    EXPECT_EQ(s.chosen.id, id(1));
    EXPECT_EQ(s.safe.id, id(1));
    EXPECT_EQ(s.baseline.id, id(0));
    EXPECT_LT(s.chosen.predicted_us, s.baseline.predicted_us);
    EXPECT_GT(s.chosen.convert_us, 0);
    EXPECT_GT(s.break_even_calls, 0);
    EXPECT_NE(s.why.find("a row is long"), std::string::npos) << s.why;
    EXPECT_EQ(extracted_, 0);
    EXPECT_EQ(looked_, 1);
}

TEST_F(TilesSuffice, SayThatAPlanBeginsWithThem) {
    const Selection s = select();
    const auto why = [&](const Constraints& constraints) {
        return why_selected(s, {}, here(), constraints);
    };
    const std::string text = why({});
    EXPECT_NE(text.find("a plan begins with it"), std::string::npos) << text;
    Constraints little;
    little.memory_bytes = 1 << 20;  // plans begin with plain CSR
    EXPECT_NE(why(little).find("a plan starts with plain CSR"), std::string::npos) << why(little);
}

TEST_F(TilesSuffice, NotWhereSomethingElseIsAskedFor) {
    const SelectOptions usual = options_;
    options_.constraints.variants = "*.csr.*,*.fake.*";
    expect_by_model("variants");
    options_ = usual;
    options_.constraints.convert_us = 1000;
    expect_by_model("conversion");
    options_ = usual;
    options_.constraints.error = 1;
    expect_by_model("an error bound");
}

TEST_F(TilesSuffice, NotForFewerCallsThanTheirConversionTakes) {
    const double enough = select().break_even_calls;
    options_.calls = enough - 1;
    expect_by_model("too few calls");
    options_.calls = enough;
    EXPECT_TRUE(select().at_sight);
}

TEST_F(TilesSuffice, NotWhereThreadsPerRowAreFaster) {
    look_.longest_row = 10;
    expect_by_model("no row is long");
}

TEST_F(TilesSuffice, OnlyWhereNothingIsTried) {
    options_.at_sight = AtSight::launch_bound;
    expect_by_model("launches alone may decide");
}

TEST_F(TilesSuffice, AsIsAskedOfPlans) {
    const auto at_sight = [&](Online online) {
        return with_look([&](const auto& chooser, const auto& index) {
            PlanOptions options;
            options.select = options_;
            options.online = online;
            const Plan<double, std::int32_t> plan(chooser, index, options);
            return plan.selection().at_sight;
        });
    };
    EXPECT_TRUE(at_sight(Online::never));
    EXPECT_FALSE(at_sight(Online::automatic)) << "trials find out more";
    EXPECT_FALSE(at_sight(Online::always));
}

}  // namespace
}  // namespace sptune::tuner
