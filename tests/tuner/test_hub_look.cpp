// When kernels for hub columns join a choice.
#include "tests/tuner/fake.hpp"
#include "tuner/hub_look.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace sptune::tuner {
namespace {

using Kernel = SpmvKernel<double, std::int32_t>;

constexpr int kMultiprocessors = 132;
constexpr double kMany = 1000;  // calls

class LookForHubs : public testing::Test {
  protected:
    /// Plain CSR, something better, and three kernels for hub columns, of 8, 2 and 4 bands.
    std::vector<Kernel> kernels_{fake::kernel(fake::right, 600, 1, 0),
                                 fake::kernel(fake::right, 120, 2, 100),
                                 fake::kernel(fake::right, 1, 3), fake::kernel(fake::right, 1, 4),
                                 fake::kernel(fake::right, 1, 5)};
    Field<double, std::int32_t> field_;
    /// Only counted, never read.
    CsrView<double> a_{1 << 20, 1 << 20, nullptr, nullptr, nullptr, 16'000'000};
    /// Entries beside the bands, in millions; negative: pointless.
    static inline double cold_ = 0;
    static inline int looks_ = 0;

    void SetUp() override {
        looks_ = 0;
        for (const std::size_t i : {2u, 3u, 4u}) {
            Variant& v = kernels_[i].variant;
            v.format = "hub";
            v.params = {{"n", i == 2 ? 8 : i == 3 ? 2 : 4}, {"k", 16384}};
            kernels_[i].estimate = [](CsrView<double>, const Features&,
                                      std::span<const Params> params) {
                ++looks_;
                const double never = std::numeric_limits<double>::infinity();
                const LayoutEstimate told{cold_ < 0 ? never : 1e8, cold_ * 1e6, 2e6};
                return std::vector<LayoutEstimate>(params.size(), told);
            };
        }
        expect(600, 120);
    }
    void expect(double plain_us, double better_us) {
        field_ = {{&kernels_[0], "plain", plain_us, 0}, {&kernels_[1], "better", better_us, 100}};
    }
    static db::Device device() {
        db::Device device;
        device.backend = "cuda";
        device.threads = kMultiprocessors;
        return device;
    }
    HubLook look(double calls = kMany) {
        const KernelIndex<double, std::int32_t> index(kernels_, kernels_[0].variant.id());
        return look_for_hubs(field_, calls, {}, a_, index,
                             {&kernels_[2], &kernels_[3], &kernels_[4]}, device());
    }
};

TEST_F(LookForHubs, LetsTheBestTwoJoinWithWhatTheyAreReckonedToTake) {
    cold_ = 2;
    ASSERT_EQ(look(), HubLook::joined);
    EXPECT_EQ(looks_, 1) << "all at once";
    ASSERT_EQ(field_.size(), 4u);
    const models::HubWork work{14e6, 2e6, 2e6, 2, 16384, 8, kMultiprocessors};
    EXPECT_EQ(field_[2].kernel, &kernels_[3]);
    EXPECT_DOUBLE_EQ(field_[2].predicted_us, models::hub_us(work));
    EXPECT_DOUBLE_EQ(field_[2].convert_us, models::hub_convert_us(work));
    EXPECT_EQ(field_[2].seen, 1e8);
    EXPECT_EQ(field_[3].kernel, &kernels_[4]) << "four bands take longer";
}

TEST_F(LookForHubs, IsNotWorthItForFewCalls) {
    cold_ = 2;
    EXPECT_EQ(look(3), HubLook::not_worth_it);
    EXPECT_EQ(looks_, 0);
}

TEST_F(LookForHubs, IsNotWorthItWhereSomethingIsFast) {
    cold_ = 2;
    expect(600, 40);
    EXPECT_EQ(look(), HubLook::not_worth_it);
    EXPECT_EQ(looks_, 0);
}

TEST_F(LookForHubs, LeavesThemOutWhereManyEntriesLieBeside) {
    cold_ = 12;
    EXPECT_EQ(look(), HubLook::none);
    EXPECT_EQ(looks_, 1);
    EXPECT_EQ(field_.size(), 2u);
}

TEST_F(LookForHubs, LeavesThemOutWhereTheyArePointless) {
    cold_ = -1;
    EXPECT_EQ(look(), HubLook::none);
    EXPECT_EQ(looks_, 1);
    EXPECT_EQ(field_.size(), 2u);
}

TEST_F(LookForHubs, NeedsKernelsThatTheModelDoesNotKnow) {
    const KernelIndex<double, std::int32_t> index(kernels_, kernels_[0].variant.id());
    EXPECT_EQ(look_for_hubs(field_, kMany, {}, a_, index, {}, device()), HubLook::not_worth_it);
}

}  // namespace
}  // namespace sptune::tuner
