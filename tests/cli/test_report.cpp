#include "cli/describe.hpp"
#include "cli/matrix_input.hpp"
#include "cli/profile_html.hpp"
#include "cli/profile_report.hpp"
#include "cli/ranking.hpp"
#include "matrix/generate.hpp"

#include <algorithm>
#include <regex>

#include <fmt/format.h>
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

/// Runs of spaces as one.
std::string squeezed(const std::string& text) {
    return std::regex_replace(text, std::regex(" +"), " ");
}

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST(Report, RowsHoldWhatTheColumnsSay) {
    db::Entry entry = example();
    entry.candidates[1].convert_us = 61;  // 10.2 calls
    std::string text = squeezed(profile_report(entry, {"", 5, false}, Style()));
    EXPECT_SAYS(text, " size 10 × 10, 100 nonzeros, 1.21 KiB as CSR in f64\n");
    EXPECT_SAYS(text, " # variant time µs GFLOP/s GB/s of bw padding convert pays at × CSR\n");
    EXPECT_SAYS(text, " 1 fast 4.00 1.00 5.00 25 % 10 % 6.10 11 2.50×\n");
    EXPECT_SAYS(text, " 3 csr 10.0 1.00 5.00 25 % 10 % - - 1.00×\n");
    EXPECT_SAYS(unwrapped(text), "44.0 µs with conversion; plain parallel CSR takes 50.0 µs");
    for (db::Candidate& c : entry.candidates)
        if (c.time) c.time->median *= 1e3;
    entry.candidates[2].vendor = true;  // "quick" takes twice as long as "fast"
    text = squeezed(profile_report(entry, {}, Style()));
    EXPECT_SAYS(text, " # variant time ms ");
    EXPECT_SAYS(text, " 1 fast 4.00 1.00 5.00 25 % 10 % 0.0061 1 2.50× 2.00×\n");
}

TEST(Report, SaysThatTheFinalRanSlower) {
    db::Entry entry = example();
    EXPECT_EQ(profile_report(entry, {}, Style()).find("The final ran"), std::string::npos);
    entry.candidates[0].reason = entry.candidates[1].reason = "final";
    entry.candidates[2].reason = "short run";
    entry.candidates[2].time->median = 2;
    EXPECT_SAYS(profile_report(entry, {}, Style()), "The final ran 2.00× slower");
}

TEST(Report, ShowsThePlainKernelAndAllThatAreAskedFor) {
    db::Entry entry = example();
    for (const double median : {5, 6, 7}) {
        entry.candidates.push_back(candidate("fast", median, 0));
        entry.candidates.back().id = fmt::format("spmv.cpu.fast.{}.f64.i32", median);
    }
    entry.candidates[0].format = "fast";  // not the first of its format
    const auto shown = highlights(ranking(entry), 1);
    EXPECT_TRUE(std::any_of(shown.begin(), shown.end(), [](auto& r) { return r.baseline; }));
    for (int i = 0; i < 20; ++i) {
        entry.candidates.push_back(candidate("fast", 20 + i, 0));
        entry.candidates.back().id = fmt::format("spmv.cpu.fast.{}.f64.i32", 20 + i);
    }
    for (const bool all : {false, true})
        EXPECT_EQ(
            profile_report(entry, {"", 0, all}, Style()).find("fast.38 ") != std::string::npos,
            all);
}

TEST(Report, TheBestLoserOfAFormatSpeaksForIt) {
    db::Entry entry = example();
    db::Candidate better = candidate("quick", 5, 0);
    better.id = "spmv.cpu.quick.better.f64.i32";
    entry.candidates.push_back(better);
    EXPECT_SAYS(squeezed(profile_report(entry, {}, Style())), " quick 2 slower quick.better ");
}

TEST(Report, APageNamesEachKernelAndEscapesNames) {
    db::Entry entry = example();
    entry.matrix.name = "a<b>&\"c";
    const std::string page = profile_html({entry});
    for (const char* part :
         {"<h2>a&lt;b&gt;&amp;&quot;c</h2>", "<td>fast<td>4.00 µs", "<td>ell<td>",
          "needs 43 times the memory", "<tr class=\"won\"><td>1<td>fast"})
        EXPECT_SAYS(page, part);
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

TEST(Describe, WhatIsSaidDependsOnTheFeatures) {
    Features usual;
    usual.rows = usual.cols = 1000;
    usual.nnz = 10'000;
    usual.bandwidth_max = 900;
    usual.row_min = 5, usual.row_max = 15, usual.row_mean = 10, usual.row_cv = 0.5;
    const struct {
        void (*change)(Features&);
        std::vector<std::string> words;
    } cases[] = {
        {[](Features&) {}, {"no special structure"}},
        {[](Features& f) { f.row_cv = 0.2; }, {"rows of similar length"}},
        {[](Features& f) { f.row_cv = 1.5; }, {"rows of very different length"}},
        {[](Features& f) { f.row_min = f.row_max = 10; }, {"every row has 10 nonzeros"}},
        {[](Features& f) { f.empty_rows = 100; }, {"10 % of the rows are empty"}},
        {[](Features& f) { f.pattern_symmetry = f.value_symmetry = 1; }, {"symmetric"}},
        {[](Features& f) { f.pattern_symmetry = 1; }, {"symmetric pattern"}},
        {[](Features& f) {
             f.bsr = {{2, 2, 0.9}, {4, 4, 0.8}, {8, 8, 0.5}};
         },
         {"blocks of 4×4 are 80 % full"}},
    };
    for (const auto& c : cases) {
        Features f = usual;
        c.change(f);
        EXPECT_EQ(describe(f), c.words);
    }
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
