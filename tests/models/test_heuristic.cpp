#include "models/heuristic.hpp"
#include "models/holding.hpp"
#include "tests/models/entries.hpp"

#include <gtest/gtest.h>

namespace sptune::models {
namespace {

std::string fastest(const Features& f, const db::Device& device,
                    const std::vector<Variant>& variants) {
    std::vector<Option> options;
    for (const Variant& v : variants) options.push_back({&v, 0});
    const auto predictions = Heuristic().predict(f, device, options);
    const auto best = std::min_element(predictions.begin(), predictions.end(),
                                       [](auto& a, auto& b) { return a.time_us < b.time_us; });
    return variants[static_cast<std::size_t>(best - predictions.begin())].format;
}

const std::vector<Variant> kCpu = {
    variant(Backend::cpu, "csr", "static", {{"x", 32}, {"l", 1}, {"u", 1}, {"w", kAll}}),
    variant(Backend::cpu, "sell", "simd", {{"c", 8}, {"s", 1}, {"x", 32}, {"w", kAll}}),
    variant(Backend::cpu, "dia", "rows", {{"f", kAll}, {"u", 4}, {"w", kAll}}),
    variant(Backend::cpu, "coo", "segments", {}),
};
const std::vector<Variant> kGpu = {
    variant(Backend::cuda, "csr", "vector", {{"t", 8}, {"b", 256}}),
    variant(Backend::cuda, "csr", "tiles", {{"n", 1024}, {"x", 32}, {"b", 256}}),
    variant(Backend::cuda, "sell", "slices",
            {{"c", 32}, {"s", 1}, {"x", 32}, {"t", 1}, {"b", 256}}),
    variant(Backend::cuda, "dia", "rows", {{"f", kAll}, {"r", 1}, {"u", 4}, {"b", 256}}),
};

TEST(Heuristic, DenseDiagonalsTakeDia) {
    EXPECT_EQ(fastest(band(1'000'000, 9), cpu(), kCpu), "dia");
    EXPECT_EQ(fastest(band(4'000'000, 9), gpu(), kGpu), "dia");
}

TEST(Heuristic, EvenRowsTakeSellOnTheCpu) {
    EXPECT_EQ(fastest(even_rows(100'000, 20), cpu(), kCpu), "sell");
}

TEST(Heuristic, OneLongRowKeepsTheGpuAwayFromAThreadPerRow) {
    Features f = even_rows(100'000, 8);
    f.row_max = 80'000;
    f.row_cv = 30;
    EXPECT_EQ(fastest(f, gpu(), kGpu), "csr");
    const Option tiles[] = {{&kGpu[1], 0}}, sell[] = {{&kGpu[2], 0}};
    EXPECT_LT(10 * Heuristic().predict(f, gpu(), tiles)[0].time_us,
              Heuristic().predict(f, gpu(), sell)[0].time_us);
}

TEST(Heuristic, CsrAsItIsNeedsNoConversion) {
    const Features f = even_rows(100'000, 20);
    const Option options[] = {{&kCpu[0], 0}, {&kCpu[1], 0}};
    const auto p = Heuristic().predict(f, cpu(), options);
    EXPECT_EQ(p[0].convert_us, 0);
    EXPECT_GT(p[1].convert_us, p[0].time_us);
}

TEST(Heuristic, EmptyAndTinyMatricesGetFiniteTimes) {
    for (const Features& f : {Features{}, even_rows(1, 1)})
        for (const auto& [device, variants] : {std::pair{cpu(), kCpu}, std::pair{gpu(), kGpu}}) {
            std::vector<Option> options;
            for (const Variant& v : variants) options.push_back({&v, 0});
            for (const Prediction& p : Heuristic().predict(f, device, options)) {
                EXPECT_TRUE(std::isfinite(p.time_us) && p.time_us > 0);
                EXPECT_TRUE(std::isfinite(p.convert_us) && p.convert_us >= 0);
            }
        }
}

TEST(Bandwidth, IsInterpolatedAndClamped) {
    const db::Device d = cpu();
    EXPECT_DOUBLE_EQ(bandwidth_gbs(d, 1), 200);
    EXPECT_DOUBLE_EQ(bandwidth_gbs(d, 1 << 20), 80);
    EXPECT_NEAR(bandwidth_gbs(d, 64 << 20), 30, 1e-9);
    EXPECT_DOUBLE_EQ(bandwidth_gbs(d, 1e12), 20);
}

TEST(Holding, CountsWhatLayoutsStore) {
    const Features f = band(100'000, 5);
    EXPECT_DOUBLE_EQ(holding(f, kCpu[0]).bytes, 500'000 * 12.0 + 100'001 * 4.0);
    EXPECT_DOUBLE_EQ(holding(f, kCpu[2]).bytes, 500'000 * 8.0);
    EXPECT_EQ(estimated_bytes(f, kCpu[2]), 500'000u * 8 + 200'000u * 8);
    Variant narrow = kCpu[1];
    narrow.params[2].value = 16;
    EXPECT_TRUE(holding(f, narrow).fits);
    EXPECT_FALSE(holding(even_rows(100'000, 5), narrow).fits) << "columns span more than 2^16";
    EXPECT_FALSE(holding(even_rows(100'000, 5), kCpu[2]).fits) << "200,000 diagonals";
}

TEST(Holding, OfDiagonalsOfSlicesFollowsHowFarDiagonalsGoOn) {
    const Variant hdia = variant(Backend::cpu, "hdia", "simd", {{"c", 16}, {"f", 50}});
    Features f = band(100'000, 5);
    // One column for 16 values, and two pointers of 8 bytes for a slice.
    EXPECT_DOUBLE_EQ(holding(f, hdia).bytes, 500'000 * (8 + 4.0 / 16) + 100'000 / 16.0 * 16);
    EXPECT_TRUE(holding(f, hdia).fits);
    f.diagonal_runs = 0.9;
    EXPECT_GT(holding(f, hdia).bytes, holding(band(100'000, 5), hdia).bytes);
    f.diagonal_runs = 0.4;
    EXPECT_FALSE(holding(f, hdia).fits);
    f.diagonal_runs.reset();
    EXPECT_FALSE(holding(f, hdia).fits) << "nobody knows";
}

TEST(Holding, OfSlicesThatAreNotProbedLiesBetweenThoseThatAre) {
    Features f = even_rows(100'000, 10);
    f.sell = {{8, 1, 0.9}, {8, 64, 0.5}, {8, 4096, 0.1}, {8, 0, 0.05}, {32, 1, 2}, {32, 0, 0.2}};
    const auto padding = [&](int c, int sigma) {
        const Variant v = variant(Backend::cpu, "sell", "simd", {{"c", c}, {"s", sigma}});
        return holding(f, v).stored / static_cast<double>(f.nnz) - 1;
    };
    EXPECT_DOUBLE_EQ(padding(8, 1), 0.9);
    EXPECT_DOUBLE_EQ(padding(8, 64), 0.5);
    EXPECT_NEAR(padding(8, kAll), 0.05, 1e-12);
    EXPECT_NEAR(padding(8, 128), 0.3, 0.005) << "half as many windows, half of the padding";
    EXPECT_GT(padding(8, 16), padding(8, 64));
    EXPECT_LT(padding(8, 16), padding(8, 1));
    EXPECT_GT(padding(8, 8192), padding(8, kAll));
    EXPECT_LT(padding(8, 8192), padding(8, 4096));
    EXPECT_DOUBLE_EQ(padding(10, 64), 0.5) << "the nearest C";
    EXPECT_DOUBLE_EQ(padding(100, kAll), 0.2);
    EXPECT_DOUBLE_EQ(padding(32, 32), 2) << "one slice to a window is as good as unsorted";
    f.sell.clear();
    EXPECT_DOUBLE_EQ(padding(8, 1), 0) << "nobody knows";
}

TEST(Holding, DoesNotOverflow) {
    const Features f = even_rows(2'000'000'000, 40);
    EXPECT_DOUBLE_EQ(holding(f, kCpu[0]).bytes, 80e9 * 12 + 2'000'000'001 * 4.0);
}

TEST(Holding, PromisesOnlyWhatSizeAloneDecides) {
    const Variant sell = kCpu[1], dia = kCpu[2];
    const Variant blocks = variant(Backend::cpu, "bsr", "blocks", {{"r", 2}, {"c", 4}});
    const Variant narrow =
        variant(Backend::cpu, "sell", "simd", {{"c", 8}, {"s", 1}, {"x", 16}, {"w", kAll}});
    Features f = even_rows(100'000, 20);
    f.sell = {{8, 1, 0.1}};
    f.bsr = {{2, 4, 0.9}};
    EXPECT_TRUE(surely_fits(f, sell));
    EXPECT_FALSE(surely_fits(f, dia));
    const Variant slices = variant(Backend::cpu, "hdia", "simd", {{"c", 8}, {"f", 25}});
    for (const std::int64_t rows : {100'000, 3}) {
        Features diagonals = band(rows, 3);
        diagonals.diagonal_runs = 1;
        EXPECT_EQ(surely_fits(diagonals, slices), rows > 3)
            << "3 rows may be too few for a diagonal";
    }
    EXPECT_FALSE(surely_fits(f, narrow)) << "columns may span more than 2^16";
    Features band_of_few = band(100'000, 20);
    band_of_few.sell = {{8, 1, 0.1}};
    EXPECT_TRUE(surely_fits(band_of_few, narrow));
    band_of_few.passed_share = 0.25;
    EXPECT_FALSE(surely_fits(band_of_few, narrow)) << "some row may be wider than those passed";
    EXPECT_FALSE(surely_fits(f, blocks)) << "columns may be in any order";
    f.columns_sorted = true;
    EXPECT_TRUE(surely_fits(f, blocks));
    f.bsr[0].fill = 0.2;
    EXPECT_FALSE(surely_fits(f, blocks)) << "3.4 times the bytes of CSR is too close to 4";
    f.sell[0].padding = 1.5;
    EXPECT_FALSE(surely_fits(f, sell));
    Features with_long = even_rows(100'000, 20);
    with_long.sell = {{8, 1, 2.5}};
    with_long.long_rows = {0.1, {{8, 1, 0.1}}};
    EXPECT_TRUE(surely_fits(with_long, sell)) << "long rows lie beside slices";
    const Variant pjds = variant(Backend::cpu, "pjds", "lanes", {{"c", 8}, {"w", kAll}});
    EXPECT_FALSE(surely_fits(with_long, pjds)) << "and among those of pJDS";
    const Variant gpu = variant(Backend::cuda, "sell", "lanes", {{"c", 32}, {"s", 1}, {"x", 32}});
    Features sampled = even_rows(100'000, 20);
    sampled.sell = {{32, 1, 0.1}};
    sampled.sampled_share = 0.01;
    sampled.warp_imbalance = 1.1;
    EXPECT_TRUE(surely_fits(sampled, gpu));
    sampled.warp_imbalance = 16;
    EXPECT_FALSE(surely_fits(sampled, gpu)) << "the sample missed what all lengths tell";
    const Variant ell = variant(Backend::cpu, "ell", "simd", {{"x", 32}, {"w", kAll}});
    Features longer = f;
    longer.ell_fill = 1 / 3.0;
    EXPECT_TRUE(surely_fits(longer, ell)) << "the longest row tells all";
    longer.ell_fill = 1 / 5.0;
    EXPECT_FALSE(surely_fits(longer, ell));
    const Variant hdia = variant(Backend::cpu, "hdia", "simd", {{"c", 8}, {"f", 50}});
    EXPECT_FALSE(surely_fits(f, hdia)) << "no diagonals that anybody knows of";
    EXPECT_TRUE(surely_fits(band(100'000, 20), hdia));
    const double csr_bytes = holding(f, kCpu[0]).bytes;
    EXPECT_TRUE(surely_fits(f, hdia, csr_bytes)) << "some rows have them";
    EXPECT_FALSE(surely_fits(f, hdia, 3 * csr_bytes));
    f.row_max = 1 << 23;
    EXPECT_FALSE(surely_fits(f, hdia, csr_bytes)) << "as many diagonals in a slice of 8 rows";
    f = even_rows(100'000'000, 20);
    f.sell = {{8, 1, 0.1}};
    EXPECT_FALSE(surely_fits(f, sell)) << "2e9 entries";
}

}  // namespace
}  // namespace sptune::models
