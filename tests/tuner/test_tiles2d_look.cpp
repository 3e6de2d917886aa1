// When kernels of two-dimensional tiles join a choice.
#include "tests/tuner/fake.hpp"
#include "tuner/tiles2d_look.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace sptune::tuner {
namespace {

using Kernel = SpmvKernel<double, std::int32_t>;

constexpr int kMultiprocessors = 132;
constexpr double kGbs = 4200;
constexpr double kMany = 10'000;  // calls

class JoinTiles2d : public testing::Test {
  protected:
    /// Plain CSR, and tiles whose x is fetched 70, 50, 60 times and never.
    std::vector<Kernel> kernels_{fake::kernel(fake::right, 600, 1, 0),
                                 fake::kernel(fake::right, 1, 2), fake::kernel(fake::right, 1, 3),
                                 fake::kernel(fake::right, 1, 4), fake::kernel(fake::right, 1, 5)};
    Field<double, std::int32_t> field_;
    Features features_;
    /// Only counted, never read.
    CsrView<double> a_{1 << 20, 1 << 20, nullptr, nullptr, nullptr, 50'000'000};

    void SetUp() override {
        for (const std::size_t i : {1u, 2u, 3u, 4u}) {
            Variant& v = kernels_[i].variant;
            v.format = "tiles2d";
            constexpr int kFetches[] = {70, 50, 60, 0};
            v.params = {{"y", kFetches[i - 1]}, {"b", 512}};
            kernels_[i].estimate = [](CsrView<double> a, const Features&,
                                      std::span<const Params> params) {
                std::vector<LayoutEstimate> told;
                for (const Params& p : params) {
                    const int fetches = get(p, "y");
                    const double bytes = fetches ? 12.0 * static_cast<double>(a.nnz())
                                                 : std::numeric_limits<double>::infinity();
                    told.push_back({bytes, 1e6 * fetches, 2e6});
                }
                return told;
            };
        }
        field_ = {{&kernels_[0], "plain", 400, 0}};
    }
    bool join(double calls = kMany) {
        const KernelIndex<double, std::int32_t> index(kernels_, kernels_[0].variant.id());
        db::Device device;
        device.backend = "cuda";
        device.threads = kMultiprocessors;
        device.bandwidth_gbs = kGbs;
        return join_tiles2d(field_, calls, features_, a_, index,
                            {&kernels_[1], &kernels_[2], &kernels_[3], &kernels_[4]}, device);
    }
};

TEST_F(JoinTiles2d, LetsTheBestTwoJoinWithWhatTheyAreReckonedToTake) {
    ASSERT_TRUE(join());
    ASSERT_EQ(field_.size(), 3u);
    const models::Tiles2dWork work{6e8, 50e6, 2e6, 5e7, 0, 512, 8, kMultiprocessors, kGbs};
    EXPECT_EQ(field_[1].kernel, &kernels_[2]);
    EXPECT_DOUBLE_EQ(field_[1].predicted_us, models::tiles2d_us(work));
    EXPECT_DOUBLE_EQ(field_[1].convert_us, models::tiles2d_convert_us(work));
    EXPECT_EQ(field_[1].seen, 6e8);
    EXPECT_EQ(field_[2].kernel, &kernels_[3]);
}

TEST_F(JoinTiles2d, LeavesThemOutForFewCallsAndWhereSomethingIsFast) {
    EXPECT_FALSE(join(10));
    field_[0].predicted_us = 100;
    EXPECT_FALSE(join());
    EXPECT_EQ(field_.size(), 1u);
}

TEST_F(JoinTiles2d, LeavesThemOutWhereRowsAreSkewed) {
    field_[0].predicted_us = 300;
    ASSERT_TRUE(join());
    field_.resize(1);
    features_.row_gini = 0.9;
    EXPECT_FALSE(join());
}

}  // namespace
}  // namespace sptune::tuner
