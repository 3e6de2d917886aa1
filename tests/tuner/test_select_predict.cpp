// What launches change of predictions for a GPU.
#include "tests/tuner/fake.hpp"
#include "tests/tuner/fake_model.hpp"
#include "tuner/select_predict.hpp"

#include <gtest/gtest.h>

namespace sptune::tuner {
namespace {

/// Plain CSR, one that launches two kernels, and one that launches one.
class PredictedField : public testing::Test {
  protected:
    std::vector<SpmvKernel<double, std::int32_t>> kernels_{fake::kernel(fake::right, 10, 1, 0),
                                                           fake::kernel(fake::right, 1, 2, 100),
                                                           fake::kernel(fake::right, 1, 3, 100)};
    db::Device device_;

    void on(Backend backend) {
        for (auto& k : kernels_) k.variant.backend = backend;
        kernels_[1].variant.format = "coo", kernels_[2].variant.format = "sell";
        device_.backend = to_string(backend);
        device_.host_launch_us = 4, device_.launch_gap_us = 1;
    }
    std::vector<double> predicted() const {
        const KernelIndex<double, std::int32_t> index(kernels_, kernels_[0].variant.id());
        const fake::Model model([](const Variant&) { return models::Prediction{}; });
        KernelIndex<double, std::int32_t>::Known known;
        for (const auto& k : kernels_) known.add(k, model);
        const std::vector<models::Prediction> told{{10, 0}, {2.5, 50}, {3.5, 50}};
        std::vector<double> us;
        for (const auto& e : predicted_field(index, known, std::span(told), device_))
            us.push_back(e.predicted_us);
        return us;
    }
};

TEST_F(PredictedField, CountsTheLaunchesOfAGpu) {
    on(Backend::cuda);
    EXPECT_EQ(predicted(), (std::vector<double>{10, 12, 3.5}));
    kernels_[2].variant.vendor = true;
    EXPECT_EQ(predicted(), (std::vector<double>{10, 12, 4.5})) << "does not begin early";
}

TEST_F(PredictedField, IsThatOfTheModelOnACpu) {
    on(Backend::cpu);
    EXPECT_EQ(predicted(), (std::vector<double>{10, 2.5, 3.5}));
}

}  // namespace
}  // namespace sptune::tuner
