#include "cli/evaluate_report.hpp"

#include <regex>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace sptune::cli {
namespace {

models::Evaluation example() {
    models::Score score;
    score.name = "trees";
    score.matrices = 4;
    score.right_format = 0.75, score.within_5 = 0.5;
    score.geomean = 0.01, score.p95 = 0.2;
    score.without_luck = {2, 0.005, 0.1};
    score.misses = {{"fem", "spmv.cpu.csr", "spmv.cpu.bsr", 0.3}};
    score.slower = 0.25, score.slower_5 = 0.125;
    score.speedup = 1.5;
    score.confusion = {{"bsr", {{"bsr", 1}, {"csr", 1}}}, {"csr", {{"csr", 2}}}};
    return {4, 3, "10 folds by family", {score}, {}};
}

TEST(EvaluateReport, TheDocumentHasEachFigureUnderItsName) {
    const auto document = evaluate_document(example(), "cpu", Op::spmv, 100);
    EXPECT_EQ(document["matrices"], 4);
    EXPECT_EQ(document["groups"], 3);
    EXPECT_EQ(document["calls"], 100);
    const auto& score = document["scores"][0];
    EXPECT_EQ(score["samples"], 4);
    EXPECT_EQ(score["speedup_vs_csr"], 1.5);
    EXPECT_EQ(score["regret"]["geomean"], 0.01);
    EXPECT_EQ(score["regret"]["p95"], 0.2);
    EXPECT_EQ(score["regret"]["worst"], 0.3);
    EXPECT_EQ(score["regret_without_luck"]["geomean"], 0.005);
    EXPECT_EQ(score["regret_without_luck"]["p95"], 0.1);
    EXPECT_EQ(score["within_5_percent"], 0.5);
    EXPECT_EQ(score["right_format"], 0.75);
    EXPECT_EQ(score["slower_than_csr"], 0.25);
    EXPECT_EQ(score["slower_than_csr_by_5_percent"], 0.125);
    EXPECT_EQ(score["misses"][0]["chosen"], "spmv.cpu.csr");
    EXPECT_EQ(score["misses"][0]["best"], "spmv.cpu.bsr");
    EXPECT_EQ(score["confusion"]["bsr"]["csr"], 1);
    EXPECT_FALSE(score["confusion"]["csr"].contains("bsr"));
}

TEST(EvaluateReport, ColumnsHoldWhatTheirHeadingsSay) {
    const std::string text =
        std::regex_replace(evaluate_report(example(), "cpu", Op::spmv), std::regex(" +"), " ");
    for (const char* part :
         {"cpu: 4 matrices of 3 families; 10 folds by family\n",
          " × CSR regret: mean p95 without luck: mean p95 worst within 5 % format right < CSR "
          "< 0.95 CSR\n",
          " trees 1.50 1.0 % 20.0 % 0.5 % 10.0 % 30.0 % fem 50.0 % 75.0 % 25.0 % 12.5 %\n",
          "best format (rows), chosen format (columns)\n", " best is bsr csr\n", " bsr 1 1\n",
          " csr 2\n"})
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

}  // namespace
}  // namespace sptune::cli
