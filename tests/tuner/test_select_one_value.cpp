// Choices for a matrix whose values are all the same, or were when it was measured.
#include "features/constant_values.hpp"
#include "models/one_value.hpp"
#include "selections.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace sptune::tuner {
namespace {

constexpr index_t kRows = 100'000;

/// Three entries in each row, all 1.
Csr<double> ones() {
    const auto nnz = static_cast<std::size_t>(3 * kRows);
    Csr<double> a{kRows, kRows, Buffer<int>(kRows + 1), Buffer<index_t>(nnz),
                  Buffer<double>(nnz, 1.0)};
    for (index_t i = 0; i <= kRows; ++i) a.row_ptr[static_cast<std::size_t>(i)] = 3 * i;
    for (index_t k = 0; k < 3 * kRows; ++k)
        a.col_idx[static_cast<std::size_t>(k)] = std::min(k / 3, kRows - 3) + k % 3;
    return a;
}

class SelectOneValue : public Select {
  protected:
    SelectOneValue() {
        a_ = ones();
        Kernel sell = kernel(fake::right, 60, 100, 1);
        sell.variant.format = "sell";
        sell.variant.params.push_back({"c", 8});
        kernels_.push_back(sell);
        kernels_.push_back(kernel(fake::right, 55, 100, 1));
    }
    void vary() { a_.values[static_cast<std::size_t>(a_.nnz() - 1)] = 2; }
    double share() {
        return models::one_value_share(kernels_[1].variant, extract_features(a_.view(), 1));
    }
};

TEST_F(SelectOneValue, ModelsKnowNothingOfIt) {
    const Selection s = select();
    EXPECT_EQ(s.chosen.id, id(1));
    EXPECT_LT(share(), 55. / 60);
    EXPECT_DOUBLE_EQ(s.chosen.predicted_us, 60 * share());
    vary();
    EXPECT_EQ(select().chosen.id, id(2));
    EXPECT_DOUBLE_EQ(select().chosen.predicted_us, 55);
}

TEST_F(SelectOneValue, AMeasurementWithoutValuesIsReckonedWithThem) {
    db::Entry e = entry(here());
    e.candidates[1].time->median = 50;
    e.winner = id(1);
    e.provenance.one_value = true;
    store_.save(e);
    const Selection as_it_was = select();
    EXPECT_EQ(as_it_was.source, Source::exact);
    EXPECT_EQ(as_it_was.chosen.id, id(1));
    EXPECT_DOUBLE_EQ(as_it_was.chosen.predicted_us, 50);
    EXPECT_EQ(as_it_was.why.find("values"), std::string::npos) << as_it_was.why;
    EXPECT_TRUE(as_it_was.complete);

    vary();
    const Selection other = select();
    EXPECT_EQ(other.source, Source::exact);
    EXPECT_EQ(other.chosen.id, id(2));
    EXPECT_DOUBLE_EQ(other.runners_up.at(0).predicted_us, 50 / share());
    EXPECT_NE(other.why.find("with other values"), std::string::npos) << other.why;
    EXPECT_LT(other.confidence, 1);
    EXPECT_FALSE(other.complete) << "so that a plan tries others as well";
}

TEST_F(SelectOneValue, AMeasurementWithValuesIsReckonedWithout) {
    store_.save(entry(here()));
    const Selection s = select();
    EXPECT_EQ(s.source, Source::exact);
    EXPECT_EQ(s.chosen.id, id(1));
    EXPECT_DOUBLE_EQ(s.chosen.predicted_us, 60 * share());
    EXPECT_TRUE(s.other_values);
    vary();
    EXPECT_EQ(select().chosen.id, id(2));
    EXPECT_TRUE(select().complete);
}

TEST_F(SelectOneValue, AValueThatNoSampleMeetsDoesNotMakeAMeasurementOneOfOtherValues) {
    a_.values[40] = 2;
    ASSERT_TRUE(seems_to_have_one_value(a_.view()));
    store_.save(entry(here()));
    const Selection s = select();
    EXPECT_EQ(s.chosen.id, id(2));
    EXPECT_FALSE(s.other_values);
    EXPECT_TRUE(s.complete);
}

TEST_F(SelectOneValue, OfManyKernelsThatLeaveItOutNoneHidesAFasterOneThatDoesNot) {
    for (int i = 0; i < 60; ++i) {
        Kernel sell = kernels_[1];
        sell.variant.params = {
            {"k", fake::right}, {"t", 51 + i % 3}, {"b", 100 + i}, {"v", 1}, {"c", 8}};
        kernels_.push_back(sell);
    }
    Kernel stores = kernel(fake::right, 57, 100, 1);  // slower than all of those
    stores.variant.format = "sell";
    stores.variant.params.push_back({"c", 4});
    kernels_[2] = stores;
    db::Entry e = entry(here());
    e.provenance.one_value = true;
    store_.save(e);
    vary();
    EXPECT_EQ(select().chosen.id, id(2));
}

}  // namespace
}  // namespace sptune::tuner
