// Products without the entries that came out as 0, in a copy or in place.
#include "kernels/spgemm/cpu/drop_zeros.hpp"
#include "matrix/convert.hpp"
#include "tests/features/tiny.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace sptune {
namespace {

TEST(DropZeros, TheSameInPlaceAndInACopy) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    const Tiny given(5, {{{0, 0}, {1, 2}, {4, 0}}, {}, {{2, 0}}, {{0, 1}, {1, -0.0}, {3, kNan}}});
    Csr<double> in_place = cast_csr<double, std::int32_t>(given.view());
    drop_zeros_in_place(in_place);
    Csr<double> copy = drop_zeros(given.view(), 2);
    for (const Csr<double>* c : {&in_place, &copy}) {
        const auto vector = [](const auto& buffer) {
            return std::vector(buffer.begin(), buffer.end());
        };
        EXPECT_EQ(vector(c->row_ptr), (std::vector{0, 1, 1, 1, 3}));
        EXPECT_EQ(vector(c->col_idx), (std::vector{1, 0, 3}));
        ASSERT_EQ(c->values.size(), 3u);
        EXPECT_EQ(c->values[0], 2);
        EXPECT_EQ(c->values[1], 1);
        EXPECT_TRUE(std::isnan(c->values[2])) << "is no 0";
    }
}

}  // namespace
}  // namespace sptune
