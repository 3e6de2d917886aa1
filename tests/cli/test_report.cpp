#include "cli/describe.hpp"
#include "cli/matrix_input.hpp"
#include "cli/profile_report.hpp"
#include "cli/ranking.hpp"
#include "matrix/generate.hpp"

#include <regex>

#include <gtest/gtest.h>

namespace sptune::cli {
namespace {

db::Candidate candidate(const std::string& format, double median, double convert_us) {
    db::Candidate c;
    c.id = "spmv.cpu." + format + ".f64.i32";
    c.format = format;
    c.status = db::Status::ok;
    c.time = db::TimeUs{median, 0.1, median, {median}};
    c.bytes = 1000;
    c.stored = 110;
    c.gflops = 1;
    c.gbs = 5;
    c.convert_us = convert_us;
    return c;
}

/// CSR takes 10 µs, "fast" 4 µs after a conversion of 60 µs, "quick" 8 µs after 4 µs.
db::Entry example() {
    db::Entry entry;
    entry.matrix.name = "example";
    entry.features.rows = entry.features.cols = 10;
    entry.features.nnz = entry.matrix.nnz = 100;
    entry.device.backend = "cpu";
    entry.device.bandwidth_gbs = 10;
    entry.device.bandwidth_curve = {{500, 40}, {2000, 20}};
    entry.candidates = {candidate("csr", 10, 0), candidate("fast", 4, 60),
                        candidate("quick", 8, 4)};
    db::Candidate illegal = candidate("ell", 1, 0);
    illegal.status = db::Status::illegal;
    illegal.reason = "needs 43 times the memory of CSR";
    illegal.time.reset();
    entry.candidates.push_back(illegal);
    entry.baseline = entry.candidates[0].id;
    entry.winner = entry.candidates[1].id;
    entry.speedup_vs_baseline = 2.5;
    entry.complete = true;
    return entry;
}

TEST(Ranking, FastestFirstAndOnlyWhatWasMeasured) {
    const db::Entry entry = example();
    const auto all = ranking(entry);
    ASSERT_EQ(all.size(), 3u);
    EXPECT_EQ(all[0].candidate->format, "fast");
    EXPECT_EQ(all[2].candidate->format, "csr");
    EXPECT_TRUE(all[2].baseline);
    EXPECT_EQ(short_id(entry, all[0].candidate->id), "fast");
    EXPECT_EQ(highlights(all, 1).size(), 3u);  // the best of each format
}

TEST(Ranking, ConversionDecidesForFewCalls) {
    const db::Entry entry = example();
    const auto all = ranking(entry);
    EXPECT_EQ(best_for(all, 1).candidate->format, "csr");    // 10 against 12 and 64
    EXPECT_EQ(best_for(all, 5).candidate->format, "quick");  // 44 against 50 and 80
    EXPECT_EQ(best_for(all, 1000).candidate->format, "fast");
    EXPECT_EQ(break_even(entry.candidates[1], entry.candidates[0]), 10);
    EXPECT_EQ(break_even(entry.candidates[2], entry.candidates[0]), 2);
    EXPECT_FALSE(break_even(candidate("slow", 11, 1), entry.candidates[0]));
}

TEST(Ranking, LosersOfEarlyStagesStayLosers) {
    db::Entry entry = example();
    entry.candidates[0].reason = entry.candidates[1].reason = "final";
    entry.candidates[2].reason = "short run";
    entry.candidates[2].time->median = 2;  // measured while the machine was quick
    const auto all = ranking(entry);
    EXPECT_EQ(all[2].candidate->format, "quick");
    EXPECT_EQ(best_for(all, 10).candidate->format, "quick");  // for its cheap conversion
    EXPECT_EQ(best_for(all, 10).total_us, 44);                // at the winner's speed
    EXPECT_EQ(drift(all), 2);
}

/// Line breaks and runs of spaces as one space.
std::string unwrapped(const std::string& text) {
    return std::regex_replace(text, std::regex("\\s+"), " ");
}

TEST(Ranking, BandwidthOfTheWorkingSet) {
    const db::Device device = example().device;
    EXPECT_EQ(bandwidth_at(device, 400), 40);
    EXPECT_EQ(bandwidth_at(device, 501), 20);
    EXPECT_EQ(bandwidth_at(device, 1 << 20), 10);
    db::Entry entry = example();
    EXPECT_EQ(bandwidth_at(entry, 400), 40);
    entry.cache = "cold";
    EXPECT_EQ(bandwidth_at(entry, 400), 10);
    EXPECT_NE(unwrapped(profile_report(entry, {}, Style()))
                  .find("of bw: share of the bandwidth of memory"),
              std::string::npos);
}

TEST(Report, SaysWhoWonAndWhyTheRestLost) {
    const std::string text = unwrapped(profile_report(example(), {"▁█", 5, false}, Style()));
    for (const char* part :
         {"example", "▁█", "Winner: spmv.cpu.fast.f64.i32, 2.50× plain parallel CSR",
          "repaid after 10 calls", "For 5 calls: spmv.cpu.quick.f64.i32", "1 illegal",
          "needs 43 times the memory"})
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(Report, NothingMeasured) {
    db::Entry entry = example();
    for (db::Candidate& c : entry.candidates) c.time.reset(), c.status = db::Status::not_reached;
    entry.winner.clear();
    EXPECT_NE(profile_report(entry, {}, Style()).find("Nothing could be measured"),
              std::string::npos);
}

std::vector<std::string> words_of(const GenerateRequest& request) {
    const auto matrix = generate<double>(request);
    return describe(extract_features(matrix.view()));
}

TEST(Describe, NamesTheStructure) {
    EXPECT_EQ(words_of({"stencil-1d-3", {{"rows", 1000}}, 1}).front(),
              "3 dense diagonals hold 100 % of the nonzeros");
    const auto blocks = words_of({"block-diagonal", {{"rows", 960}, {"block", 8}}, 1});
    EXPECT_NE(std::find(blocks.begin(), blocks.end(), "blocks of 8×8 are 100 % full"),
              blocks.end());
    EXPECT_EQ(describe(Features{}), std::vector<std::string>{"empty"});
}

TEST(Describe, SparklineHasABarForEachLength) {
    const auto matrix = generate<double>({"stencil-1d-3", {{"rows", 1000}}, 1});
    EXPECT_EQ(row_length_sparkline(matrix.view(), extract_features(matrix.view())), "▁█");
}

TEST(MatrixName, LosesFolderAndEndings) {
    EXPECT_EQ(matrix_name("/a/b.c/west0479.mtx.gz"), "west0479");
    EXPECT_EQ(matrix_name("x.spt"), "x");
    EXPECT_EQ(matrix_name("plain"), "plain");
}

}  // namespace
}  // namespace sptune::cli
