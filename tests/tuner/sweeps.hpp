// Sweeps over kernels that take what they say on a clock of their own.
#pragma once

#include "fake.hpp"
#include "tuner/sweep.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace sptune::tuner {

using Kernel = SpmvKernel<double, std::int32_t>;
using Kernels = std::vector<Kernel>;

/// Of a device: nothing but the fake clock.
struct FakeTimer final : Timer {
    double per_call(const std::function<void()>& call, int calls, bool) override {
        const double start = fake::now_us;
        for (int i = 0; i < calls; ++i) call();
        last_us_ = (fake::now_us - start) / calls;
        return last_us_;
    }
    OnDevice on_device() const override { return {share * last_us_, launches}; }

    double share = 0;  ///< of a call, that the device takes without launches; 0: not known
    int launches = 0;

  private:
    double last_us_ = 0;
};

class Sweep : public ::testing::Test {
  protected:
    Sweep() {
        options.clock = fake::clock;
        options.limits.storage_factor = 1e9;
        options.limits.storage_bytes = 1 << 30;
        fake::conversions = fake::calls = fake::late_calls = 0;
        fake::most_bytes = 0;
        fake::busy_from = fake::busy_to = 0;
        fake::busy_kind = -1;
    }

    /// The first kernel is the baseline.
    SweepResult run(const Kernels& kernels) {
        return sweep_kernels(a.view(), features, kernels, kernels.front().variant.id(), device,
                             options);
    }
    static const db::Candidate& of(const SweepResult& r, const Kernel& k) {
        const db::Candidate* c = db::find(r.entry, k.variant.id());
        EXPECT_NE(c, nullptr);
        return *c;
    }

    Csr<double> a = fake::matrix();
    Features features;
    db::Device device;
    SweepOptions options;
    FakeTimer timer;  ///< of those that want one
};

}  // namespace sptune::tuner
