// Against NumPy and SciPy: tests/data/features_oracle.json is what oracle.py recorded.
#include "features/features.hpp"
#include "matrix/market.hpp"

#include <cmath>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace sptune {
namespace {

const nlohmann::json& oracle() {
    static const auto json = nlohmann::json::parse(
        std::ifstream(std::string(SPTUNE_TEST_DATA) + "/features_oracle.json"));
    return json;
}

std::vector<std::string> matrices() {
    std::vector<std::string> names;
    for (const auto& item : oracle().items()) names.push_back(item.key());
    return names;
}

class Oracle : public testing::TestWithParam<std::string> {};

TEST_P(Oracle, Agrees) {
    const auto a = read_market<double>(std::string(SPTUNE_TEST_DATA) + "/" + GetParam());
    const Features f = extract_features(a.view());
    const auto& want = oracle().at(GetParam());
    const auto near = [&](const nlohmann::json& expected, double got, const std::string& what) {
        const auto value = expected.get<double>();
        EXPECT_NEAR(got, value, 1e-12 * (1 + std::abs(value))) << what;
    };
    ASSERT_EQ(f.sampled_share, 1);
    const std::pair<const char*, double> numbers[] = {
        {"rows", double(f.rows)},
        {"cols", double(f.cols)},
        {"nnz", double(f.nnz)},
        {"density", f.density},
        {"row_min", double(f.row_min)},
        {"row_max", double(f.row_max)},
        {"row_mean", f.row_mean},
        {"row_median", f.row_median},
        {"row_std", f.row_std},
        {"row_cv", f.row_cv},
        {"row_skew", f.row_skew},
        {"row_gini", f.row_gini},
        {"empty_rows", double(f.empty_rows)},
        {"row_neighbour_diff", f.row_neighbour_diff},
        {"warp_imbalance", f.warp_imbalance},
        {"diagonals", double(f.diagonals)},
        {"dia_fill", f.dia_fill},
        {"dense_diagonals", double(f.dense_diagonals)},
        {"dense_diagonal_share", f.dense_diagonal_share},
        {"bandwidth_max", double(f.bandwidth_max)},
        {"bandwidth_mean", f.bandwidth_mean},
        {"profile", double(f.profile)},
        {"pattern_symmetry", f.pattern_symmetry},
        {"value_symmetry", f.value_symmetry},
        {"ell_fill", f.ell_fill},
        {"cols_per_line", f.cols_per_line},
        {"column_gap", f.column_gap},
        {"diagonal_runs", f.diagonal_runs.value()},
        {"reuse_distance", f.reuse_distance}};
    for (const auto& [name, got] : numbers) near(want.at(name), got, name);
    EXPECT_EQ(want.at("constant_values").get<bool>(), f.constant_values);
    EXPECT_EQ(want.at("fingerprint").get<std::uint64_t>(), f.fingerprint);
    for (std::size_t i = 0; i < 4; ++i) {
        near(want.at("top_diagonal_share")[i], f.top_diagonal_share[i], "top_diagonal_share");
        near(want.at("hyb_remainder")[i], f.hyb_remainder[i], "hyb_remainder");
    }
    ASSERT_EQ(want.at("sell").size(), f.sell.size());
    for (std::size_t i = 0; i < f.sell.size(); ++i) {
        const auto& w = want.at("sell")[i];
        EXPECT_EQ(w[0], f.sell[i].c);
        EXPECT_EQ(w[1], f.sell[i].sigma);
        near(w[2], f.sell[i].padding, "sell " + w.dump());
    }
    ASSERT_EQ(want.at("bsr").size(), f.bsr.size());
    for (std::size_t i = 0; i < f.bsr.size(); ++i) {
        const auto& w = want.at("bsr")[i];
        EXPECT_EQ(w[0], f.bsr[i].r);
        EXPECT_EQ(w[1], f.bsr[i].c);
        near(w[2], f.bsr[i].fill, "bsr " + w.dump());
    }
}

INSTANTIATE_TEST_SUITE_P(Features, Oracle, testing::ValuesIn(matrices()),
                         [](const auto& p) { return p.param.substr(0, p.param.find('.')); });

}  // namespace
}  // namespace sptune
