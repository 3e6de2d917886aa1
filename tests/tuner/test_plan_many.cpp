// Several vectors, with kernels that take what they say on a clock that nothing else moves:
// together they take no time at all.
#include "tests/tuner/plans.hpp"

namespace sptune::tuner {
namespace {

class ManyVectors : public Plans {
  protected:
    static constexpr std::size_t kMost = 8;
    Buffer<double> xs_{4 * kMost}, ys_{4 * kMost};
    std::unique_ptr<Index> index_;

    void SetUp() override {
        Plans::SetUp();
        options_.select.models = {&honest_};
        for (std::size_t i = 0; i < xs_.size(); ++i) xs_[i] = 1 + static_cast<double>(i % 7);
        fake::calls = 0;
    }
    std::unique_ptr<Plan<double, std::int32_t>> plan() {
        index_ = std::make_unique<Index>(kernels_, kernels_[0].variant.id());
        return std::make_unique<Plan<double, std::int32_t>>(choose_for(a_.view(), Backend::cpu, 1),
                                                            *index_, options_);
    }
    /// y = 2 A x + y, as the caller has it.
    void multiply(Plan<double, std::int32_t>& plan, std::size_t count, bool rows = false) {
        for (double& y : ys_) y = 3;
        using From = Vectors<const double>;
        using To = Vectors<double>;
        plan.apply_many(
            2, rows ? From::row_by_row(xs_.data(), count) : From::one_by_one(xs_.data(), 4), 1,
            rows ? To::row_by_row(ys_.data(), count) : To::one_by_one(ys_.data(), 4), count);
        for (std::size_t j = 0; j < count; ++j)
            for (index_t i = 0; i < 4; ++i) {
                const auto at = [&](index_t r) {
                    return rows ? static_cast<std::size_t>(r) * count + j
                                : static_cast<std::size_t>(r) + 4 * j;
                };
                double sum = 0;
                for (int k = a_.row_ptr[i]; k < a_.row_ptr[i + 1]; ++k)
                    sum += a_.values[k] * xs_[at(a_.col_idx[k])];
                ASSERT_NEAR(ys_[at(i)], 2 * sum + 3, 1e-12) << i << " of vector " << j;
            }
    }
};

TEST_F(ManyVectors, GoTogetherOnceThatTookLess) {
    const auto p = plan();
    for (int call = 0; call < 6; ++call) multiply(*p, kMost);
    const int tried = fake::calls;
    EXPECT_EQ(tried, 3 * static_cast<int>(kMost));
    for (int call = 0; call < 20; ++call) multiply(*p, kMost);
    EXPECT_EQ(fake::calls, tried);
    EXPECT_NE(p->why().find("(one by one"), std::string::npos) << p->why();
}

TEST_F(ManyVectors, AreCallsLikeAnyOtherUntilThePlanHasSettled) {
    add(40, 1000);
    const auto p = plan();
    int calls = 0;
    for (; calls < 100 && !p->settled(); ++calls) multiply(*p, 2);
    EXPECT_TRUE(p->settled()) << p->why();
    EXPECT_EQ(p->current(), id(1)) << p->why();
    const int before = fake::calls;
    for (int call = 0; call < 50; ++call) multiply(*p, 2);
    EXPECT_EQ(fake::calls, before + 2 * 3) << "tried one by one, and found to take longer";
}

TEST_F(ManyVectors, OneOfManyIsACallUntilThePlanHasSettled) {
    add(40, 1000);
    const auto p = plan();
    int calls = 0;
    for (; calls < 200 && !p->settled(); ++calls) multiply(*p, kMost);
    EXPECT_TRUE(p->settled()) << p->why();
    EXPECT_EQ(p->current(), id(1)) << p->why();
    EXPECT_EQ(fake::calls, calls);
}

TEST_F(ManyVectors, RowByRowTheyAlwaysDo) {
    options_.select.constraints.variants = "*.fake.*";
    const auto p = plan();
    for (const std::size_t count : {2, 3, 8}) multiply(*p, count, true);
    EXPECT_EQ(fake::calls, 0);
}

TEST_F(ManyVectors, GoOneByOneWhereTheCallerHasASayInKernelsOrMemory) {
    options_.select.constraints.variants = "*.fake.*";
    multiply(*plan(), kMost);
    EXPECT_EQ(fake::calls, static_cast<int>(kMost));
    options_.select.constraints = {};
    options_.select.constraints.memory_bytes = 100;
    multiply(*plan(), kMost);
    EXPECT_EQ(fake::calls, 2 * static_cast<int>(kMost));
    options_.select.constraints.memory_bytes = 100'000;
    multiply(*plan(), kMost);
    EXPECT_EQ(fake::calls, 2 * static_cast<int>(kMost));
}

TEST_F(ManyVectors, NoClockDecidesWhatHasToRepeatItselfOrMayNotBeTried) {
    for (const bool deterministic : {false, true}) {
        options_.select.constraints.deterministic = deterministic;
        options_.online = deterministic ? Online::automatic : Online::never;
        const auto p = plan();
        fake::calls = 0;
        for (int call = 0; call < 10; ++call) multiply(*p, 8);
        EXPECT_EQ(fake::calls, 0);
        for (int call = 0; call < 10; ++call) multiply(*p, 7);
        EXPECT_EQ(fake::calls, 70);
    }
}

TEST_F(ManyVectors, SingleVectorsAreCalls) {
    const auto p = plan();
    for (int call = 0; call < 10; ++call) multiply(*p, 1);
    EXPECT_EQ(fake::calls, 10);
}

TEST_F(ManyVectors, TakeNewValuesAndCountTheirMemory) {
    const auto p = plan();
    EXPECT_EQ(p->bytes_beside(), 0u);
    multiply(*p, kMost);
    EXPECT_GT(p->bytes_beside(), 4 * kMost * sizeof(double));
    for (double& v : a_.values) v *= 3;
    p->update_values(a_.values.data());
    multiply(*p, kMost);
    p->invalidate();
    EXPECT_THROW(multiply(*p, kMost), Error);
    EXPECT_THROW(multiply(*p, kMost, true), Error);
}

}  // namespace
}  // namespace sptune::tuner
