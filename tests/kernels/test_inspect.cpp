// What layouts cannot hold, or are of no use for, is found out before it is converted to.
#include "features/features.hpp"
#include "kernels/registry.hpp"
#include "tests/features/tiny.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sptune {
namespace {

/// Of the layout, on the CPU.
Footprint inspected(const std::string& layout, CsrView<double> a) {
    for (const auto& kernel : spmv_kernels<double, std::int32_t>(Backend::cpu))
        if (kernel.variant.layout == layout)
            return kernel.inspect(a, extract_features(a), kernel.variant.params);
    ADD_FAILURE() << "there is no layout " << layout;
    return {};
}
std::string why_illegal(const std::string& layout, const Tiny<>& a) {
    return inspected(layout, a.view()).illegal;
}

TEST(Inspect, OffsetsOf16BitsReach65535ColumnsFar) {
    for (const index_t last : {65'535, 65'536}) {
        const bool fits = last == 65'535;
        const auto row = pattern(70'000, {{0, last}}), slice = pattern(70'000, {{0}, {last}});
        EXPECT_EQ(why_illegal("csr.x16", row) == "", fits) << last;
        EXPECT_EQ(why_illegal("csr.x16", slice), "");
        EXPECT_EQ(why_illegal("sell.c8.s1.x16", row) == "", fits) << last;
        EXPECT_EQ(why_illegal("sell.c8.s1.x16", slice) == "", fits) << last;
    }
    // No row alone is too wide, and the slice is by the end of one.
    EXPECT_NE(why_illegal("sell.c8.s1.x16", pattern(80'000, {{0, 40'000}, {30'000, 70'000}})), "");
}

TEST(Inspect, SaysWhichSlicesAreTooWide) {
    std::vector<index_t> longer;
    for (index_t j = 0; j < 300; ++j) longer.push_back(j * 250);
    const std::vector<index_t> wide{0, 70'000};
    const auto too_wide = [](const char* layout, const std::vector<std::vector<index_t>>& rows) {
        return inspected(layout, pattern(80'000, rows).view()).too_wide;
    };
    EXPECT_EQ(too_wide("csr.x16", {wide}), 1);
    EXPECT_EQ(too_wide("csr.x16", {longer}), 0) << "it may lie beside its slice";
    EXPECT_EQ(too_wide("csr.x16", {longer, wide}), 1);
    EXPECT_EQ(too_wide("sell.c8.s1.x16", {{0}, {70'000}}), 8);
    std::vector<std::vector<index_t>> rows(9, {0});
    rows[1] = {70'000}, rows[8] = longer;
    EXPECT_EQ(too_wide("sell.c8.s1.x16", rows), 0) << "larger slices have more beside them";
}

TEST(Inspect, DiagonalsCountFromTheirShareOn) {
    const auto said = [](int on_diagonal, bool beside) {
        std::vector<std::vector<index_t>> rows(10);
        for (index_t i = 0; i < on_diagonal; ++i) rows[static_cast<std::size_t>(i)] = {i};
        if (beside) rows[0].push_back(1);  // one of nine
        return why_illegal("dia.f60", pattern(10, rows));
    };
    EXPECT_EQ(said(6, true), "");
    EXPECT_NE(said(6, false).find("every entry lies on such a diagonal"), std::string::npos);
    EXPECT_EQ(said(5, true), "no diagonal is 60 % occupied");
}

TEST(Inspect, BlocksNeedTheirColumns) {
    EXPECT_EQ(why_illegal("bsr.r4.c4", pattern(4, {{0}, {1}})), "");
    EXPECT_EQ(why_illegal("bsr.r4.c4", pattern(3, {{0}, {1}})), "fewer columns than a block has");
}

TEST(Inspect, HybIsOfUseWhereSomeRowsAreLonger) {
    const auto said = [](const std::vector<std::vector<index_t>>& rows) {
        return why_illegal("hyb.q75", pattern(9, rows));
    };
    EXPECT_EQ(said({{0}, {1}, {2}, {0, 1, 2, 3, 4}}), "") << "three of four fit";
    EXPECT_NE(said({{0}, {1}, {2}, {3}}).find("the same as ell"), std::string::npos);
    EXPECT_NE(said({{}, {}, {}, {0, 1}}).find("too many empty rows"), std::string::npos);
}

}  // namespace
}  // namespace sptune
