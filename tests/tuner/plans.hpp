// Plans over kernels that take what they say on a clock of their own, with models that lie.
#pragma once

#include "tests/tuner/fake.hpp"
#include "tests/tuner/fake_model.hpp"
#include "tuner/plan.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sptune::tuner {

using fake::kernel;
using Kernel = SpmvKernel<double, std::int32_t>;
using Index = KernelIndex<double, std::int32_t>;

inline double real_time(const Variant& v) {
    return get(v.params, "t");
}
inline double real_conversion(const Variant& v) {
    return get(v.params, "v");
}

class Plans : public testing::Test {
  protected:
    Csr<double> a_ = fake::matrix();
    std::vector<Kernel> kernels_{kernel(fake::right, 100, 1, 0)};
    PlanOptions options_;
    const fake::Model honest_{[](const Variant& v) {
        return models::Prediction{real_time(v), real_conversion(v)};
    }};
    Buffer<double> x_{4, 1.5}, y_{4, 0.0};

    void SetUp() override {
        options_.select.clock = fake::clock;
        options_.choosing_us = 250;
    }

    /// Different algorithms, so that all of them are offered.
    void add(int call_us, int convert_us, int kind = fake::right) {
        kernels_.push_back(kernel(kind, call_us, 1, convert_us));
        kernels_.back().variant.algorithm =
            std::string(1, static_cast<char>('a' + kernels_.size()));
    }
    struct Life {
        double total_us = 0;
        std::string current, why;
        bool settled = false;
    };
    /// Makes a plan and `calls` calls, each of which is checked.
    Life live(const fake::Model& model, int calls) {
        options_.select.models = {&model};
        const Index index(kernels_, kernels_[0].variant.id());
        const double start = fake::now_us;
        Plan<double, std::int32_t> plan(choose_for(a_.view(), Backend::cpu, 1), index, options_);
        for (int n = 0; n < calls; ++n) {
            const double beta = n % 3 == 0 ? 0 : 0.5;
            for (index_t i = 0; i < 4; ++i) y_[i] = beta == 0 ? 0.0 / 0.0 : i;
            plan.apply(2, x_.data(), beta, y_.data());
            expect_right(2, beta);
        }
        return {fake::now_us - start, plan.current(), plan.why(), plan.settled()};
    }
    void expect_right(double alpha, double beta) {
        for (index_t i = 0; i < 4; ++i) {
            double sum = 0;
            for (int k = a_.row_ptr[i]; k < a_.row_ptr[i + 1]; ++k)
                sum += a_.values[k] * x_[static_cast<std::size_t>(a_.col_idx[k])];
            EXPECT_DOUBLE_EQ(y_[i], alpha * sum + (beta == 0 ? 0 : beta * i));
        }
    }
    std::string id(std::size_t i) const { return kernels_[i].variant.id(); }
};

}  // namespace sptune::tuner
