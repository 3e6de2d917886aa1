// Grids, parameters, ids and globs.
#include "kernels/axes.hpp"
#include "kernels/cuda_probe.hpp"
#include "kernels/registry.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

namespace sptune {
namespace {

TEST(Grid, VisitsTheProductLastAxisFastest) {
    std::vector<std::string> seen;
    for_each_point(grid<axis<chunk_rows, 2, 4>, axis<workers, 1, kAll>>{},
                   [&](auto p) { seen.push_back(to_string(p.params())); });
    EXPECT_EQ(seen, (std::vector<std::string>{"c2.w1", "c2.wn", "c4.w1", "c4.wn"}));
}

TEST(Params, GetFindsOrThrows) {
    const Params p{{"c", 8}, {"s", kAll}};
    EXPECT_EQ(get(p, "c"), 8);
    EXPECT_EQ(to_string(p), "c8.sn");
    EXPECT_THROW(get(p, "b"), std::logic_error);
}

TEST(Params, NamesAreComparedWholeAndNotCutOff) {
    const std::string most(ParamName::kMost, 'x');
    EXPECT_EQ(ParamName(most).view(), most);
    EXPECT_THROW(ParamName(most + "x"), Error);
    EXPECT_FALSE(ParamName("c") == ParamName("c2"));
    EXPECT_FALSE(ParamName("c") == "c2");
    EXPECT_EQ(to_string(Params{{"c", 2'147'483'647}, {"s", -2'147'483'647 - 1}}),
              "c2147483647.s-2147483648");
}

TEST(Glob, MatchesLikeAShell) {
    const char* id = "spmv.cpu.sell.simd.c8.s64.x32.wn.f64.i32";
    for (const char* yes :
         {"*", "*sell*", "spmv.cpu.*.f64.i32", "*.c?.*", "*ell*,*csr*", "x,*sell*", id})
        EXPECT_TRUE(matches(id, yes)) << yes;
    for (const char* no : {"", "sell", "*sell", "spmv.cpu.?ell", "*.f32.*", "*csr*,*dia*"})
        EXPECT_FALSE(matches(id, no)) << no;
}

TEST(Registry, IdsAreUniqueAndDescribeThemselves) {
    std::set<std::string> ids;
    for (const auto& k : spmv_kernels<double, std::int32_t>(Backend::cpu)) {
        EXPECT_TRUE(ids.insert(k.variant.id()).second) << k.variant.id();
        EXPECT_TRUE(k.inspect && k.convert && k.apply) << k.variant.id();
        EXPECT_EQ(k.variant.layout.find(k.variant.format), 0u);
        if (!k.variant.vendor) {
            EXPECT_EQ(k.variant.kernel_hash.size(), 12u);
        }
    }
    EXPECT_TRUE(ids.count(spmv_baseline_id(Backend::cpu, ValueType::f64, IndexType::i32)));
    for (const char* published :
         {"sell.simd.c2.s4.x32", "sell.simd.c10.s20.x32", "sell.simd.c100.s200.x32"})
        EXPECT_TRUE(ids.count("spmv.cpu." + std::string(published) + ".wn.f64.i32")) << published;
}

TEST(Registry, HasCudaKernelsOrSaysWhyNot) {
    if (!cuda_usable()) {
        EXPECT_THROW((spmv_kernels<float, std::int32_t>(Backend::cuda)), DeviceError);
        return;
    }
    const std::string baseline = spmv_baseline_id(Backend::cuda, ValueType::f32, IndexType::i32);
    const auto& kernels = spmv_kernels<float, std::int32_t>(Backend::cuda);
    EXPECT_TRUE(std::ranges::any_of(kernels, [&](const auto& k) {
        return k.variant.id() == baseline;
    })) << baseline;
}

}  // namespace
}  // namespace sptune
