// Sweeps of a matrix whose values are all the same.
#include "sweeps.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace sptune::tuner {
namespace {

bool are_all_the_same(CsrView<double> a) {
    return std::all_of(a.values, a.values + a.nnz(), [&](double v) { return v == a.values[0]; });
}

class SweepOneValue : public Sweep {
  protected:
    SweepOneValue() {
        std::fill(a.values.begin(), a.values.end(), 3.0);
        features.constant_values = true;
    }
    /// As SELL that knows what to do with such values, C = 8, or does not, C = 4.
    static Kernel sell(int c, int cost_us, int bytes = 1000) {
        Kernel k = fake::kernel(fake::right, cost_us, bytes);
        k.variant.format = "sell";
        k.variant.params.push_back({"c", c});
        k.variant.params.push_back({"x", 32});
        k.variant.layout = to_string(k.variant.params);
        return k;
    }
};

TEST_F(SweepOneValue, KernelsThatLeaveItOutAreTimedLikeThat) {
    static int asked_with_values, asked_without;
    asked_with_values = asked_without = 0;
    Kernels kernels = {fake::kernel(fake::right, 40), sell(8, 20), sell(4, 25)};
    for (Kernel& k : kernels)
        k.convert = [](CsrView<double> of, const Params& p, int threads) {
            const bool one = are_all_the_same(of);
            ++(one ? asked_without : asked_with_values);
            Params mine = p;
            if (one) mine[1].value /= 2;  // t
            return fake::kernel(fake::right, 1).convert(of, mine, threads);
        };
    const SweepResult r = run(kernels);
    EXPECT_EQ(r.entry.provenance.one_value, true);
    EXPECT_DOUBLE_EQ(of(r, kernels[0]).time->median, 40) << "knows nothing of it";
    EXPECT_DOUBLE_EQ(of(r, kernels[1]).time->median, 10);
    EXPECT_DOUBLE_EQ(of(r, kernels[2]).time->median, 25);
    EXPECT_GT(asked_without, 0);
    EXPECT_GT(asked_with_values, 2) << "of C = 8, too, to verify it";
}

TEST_F(SweepOneValue, EntriesThatAreMixedUpShowNevertheless) {
    Kernels kernels = {fake::kernel(fake::right, 40), sell(8, 20), sell(8, 21)};
    kernels[1].convert = [](CsrView<double> of, const Params& p, int threads) {
        static Buffer<double> mixed;
        mixed = Buffer<double>(static_cast<std::size_t>(of.nnz()));
        std::reverse_copy(of.values, of.values + of.nnz(), mixed.begin());
        of.values = mixed.data();
        return fake::kernel(fake::right, 1).convert(of, p, threads);
    };
    const SweepResult r = run(kernels);
    EXPECT_EQ(of(r, kernels[1]).status, db::Status::incorrect);
    EXPECT_EQ(of(r, kernels[2]).status, db::Status::ok);
}

TEST_F(SweepOneValue, WhatIsLeftOutBoundsNoTime) {
    // 12 kB a call at 1 GB/s would take 12 µs; without the values, 4 kB, it may take 4.
    device.bandwidth_curve = {{1, 1.0}};
    Kernels kernels = {fake::kernel(fake::right, 8, 100), sell(8, 6, 12'000), sell(4, 6, 12'000)};
    kernels[1].convert = [](CsrView<double> of, const Params&, int threads) {
        const Kernel lean = fake::kernel(fake::right, 6, 4000);
        return lean.convert(of, lean.variant.params, threads);
    };
    const SweepResult r = run(kernels);
    EXPECT_EQ(of(r, kernels[1]).status, db::Status::ok) << of(r, kernels[1]).reason;
    EXPECT_EQ(of(r, kernels[2]).status, db::Status::bounded);
}

TEST_F(SweepOneValue, TimesOfOtherValuesAreNotTakenOver) {
    const Kernels kernels = {fake::kernel(fake::right, 40), sell(8, 20)};
    const SweepResult first = run(kernels);
    features.constant_values = false;
    options.resume = &first.entry;
    const int before = fake::calls;
    const SweepResult second = run(kernels);
    EXPECT_FALSE(second.entry.provenance.one_value);
    const int anew = fake::calls - before;
    options.resume = &second.entry;
    const int then = fake::calls;
    run(kernels);
    EXPECT_LT(fake::calls - then, anew);
}

}  // namespace
}  // namespace sptune::tuner
