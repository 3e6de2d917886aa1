#include "cli/compare_report.hpp"
#include "cli/comparison.hpp"

#include <cmath>
#include <regex>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace sptune::cli {
namespace {

db::Candidate candidate(const std::string& name, double median, bool vendor = false) {
    db::Candidate c;
    c.id = "spmv.cuda." + name + ".f64.i32";
    c.vendor = vendor;
    c.status = db::Status::ok;
    c.time = db::TimeUs{median, 0, median, {median}};
    c.convert_us = 7;
    return c;
}

/// CSR takes 12 µs, the vendor 8 and 6, the oracle 4, another kernel 5.
db::Entry example() {
    db::Entry entry;
    entry.matrix = {"example", "", 10, 20, 100, 0};
    entry.device.backend = "cuda";
    entry.device.bandwidth_gbs = 2;
    entry.candidates = {candidate("csr", 12), candidate("v.a", 8, true), candidate("v.b", 6, true),
                        candidate("fast", 4), candidate("good", 5)};
    entry.baseline = entry.candidates[0].id;
    entry.winner = entry.candidates[3].id;
    return entry;
}

TEST(Comparison, HoldsTheChoiceAgainstTheRest) {
    const db::Entry entry = example();
    const Comparison c = compare(entry, 15, {"spmv.cuda.good.f64.i32", 3, "exact"});
    EXPECT_EQ(c.oracle->name, "fast");
    EXPECT_EQ(c.chosen->name, "good");
    ASSERT_EQ(c.vendor.size(), 2u);
    EXPECT_EQ(c.vendor_best()->name, "v.b");
    const Ratios r = ratios(c);
    EXPECT_DOUBLE_EQ(*r.oracle_vs_vendor_best, 1.5);
    EXPECT_DOUBLE_EQ(*r.auto_vs_vendor_best, 1.2);
    EXPECT_DOUBLE_EQ(*r.auto_vs_csr, 2.4);
    EXPECT_DOUBLE_EQ(*r.auto_vs_oracle, 0.8);
}

TEST(Comparison, DocumentAndReportSayWhatWasCompared) {
    const db::Entry entry = example();
    const Comparison c = compare(entry, 15, {"spmv.cuda.good.f64.i32", 3, "exact"});
    const auto document = compare_document(entry.device, "cold", {c}, 1);
    EXPECT_EQ(document["cache"], "cold");
    const auto& result = document["results"][0];
    EXPECT_EQ(result["rows"], 10);
    EXPECT_EQ(result["cols"], 20);
    EXPECT_EQ(result["auto"]["select_us"], 3);
    EXPECT_EQ(result["auto"]["convert_us"], 7);
    std::string report = compare_report(entry.device, "cold", {c}, Style());
    report = std::regex_replace(report, std::regex(" +"), " ");
    for (const char* part : {"example fast v.b good (exact) 3.00 µs 7.00 µs\n", "example 10 100 ",
                             " 12.0 6.00 4.00 5.00 1.50× 1.20× 2.40× 0.80×\n", "caches cold"})
        EXPECT_NE(report.find(part), std::string::npos) << part << "\n" << report;
}

TEST(Comparison, SumsUpRegrets) {
    db::Entry entry = example();
    for (db::Candidate& c : entry.candidates)
        c.reason = "final", c.time->samples.assign(24, c.time->median);
    const Comparison good = compare(entry, 15, {"spmv.cuda.good.f64.i32", 3, "model"});
    const Comparison slow = compare(entry, 15, {entry.baseline, 3, "model"});
    EXPECT_NEAR(good.regret.value(), 0.25, 1e-12);
    Comparison slower = slow, unknown = slow;
    slower.csr->time_us = 11;
    unknown.regret.reset();
    const std::vector<Comparison> all{good, slow, slower, unknown};
    const Regrets sum = regrets(all).value();
    EXPECT_EQ(sum.count, 3u);
    EXPECT_NEAR(sum.mean, std::cbrt(1.25 * 3 * 3) - 1, 1e-12);
    EXPECT_NEAR(sum.p95, 2, 1e-12);
    EXPECT_NEAR(sum.slower_share, 1.0 / 3, 1e-12);
    EXPECT_NE(compare_report(entry.device, "warm", all, Style()).find("regret of auto"),
              std::string::npos);
    EXPECT_FALSE(regrets({unknown}));
    EXPECT_TRUE(compare_document(entry.device, "warm", {unknown}, 1)["regret"].is_null());
    const auto each = compare_document(entry.device, "warm", {unknown, good}, 2)["regret"]["each"];
    ASSERT_EQ(each.size(), 2u);
    EXPECT_TRUE(each[0].is_null());
    EXPECT_NEAR(each[1].get<double>(), 0.25, 1e-12);
}

TEST(Comparison, FloorIsBytesOverBandwidth) {
    db::Entry entry = example();
    const double bytes = 100 * 12 + 11 * 4 + (15 + 10) * 8;
    EXPECT_DOUBLE_EQ(*compare(entry, 15, {}).floor_us, bytes / 2 / 1e3);
    entry.device.bandwidth_curve = {{1 << 20, 8}};  // caches
    EXPECT_DOUBLE_EQ(*compare(entry, 15, {}).floor_us, bytes / 8 / 1e3);
    entry.cache = "cold";
    EXPECT_DOUBLE_EQ(*compare(entry, 15, {}).floor_us, bytes / 2 / 1e3);
    entry.device.copy_gbs = 4;
    EXPECT_DOUBLE_EQ(*compare(entry, 15, {}).floor_us, bytes / 4 / 1e3);
    entry.device.copy_gbs = entry.device.bandwidth_gbs = 0;
    EXPECT_FALSE(compare(entry, 15, {}).floor_us);
}

TEST(Comparison, OfAProductTheFloorIsWhatEveryKernelMoves) {
    db::Entry entry = example();
    entry.op = Op::spgemm;
    entry.product.emplace();
    entry.product->products = 300;
    entry.candidates[3].bytes = 5000;  // the winner's
    const Comparison c = compare(entry, 0, {entry.winner, 3, "exact"});
    EXPECT_DOUBLE_EQ(*c.floor_us, 5000 / 2.0 / 1e3);
    EXPECT_EQ(c.products, 300u);
    const auto document = compare_document(entry.device, "warm", {c}, 1);
    EXPECT_EQ(document["op"], "spgemm");
    EXPECT_EQ(document["results"][0]["products"], 300);
    EXPECT_FALSE(
        compare_document(entry.device, "warm", {compare(example(), 15, {})}, 1)["results"][0]
            .contains("products"));
    const std::string report = compare_report(entry.device, "warm", {c}, Style());
    EXPECT_NE(report.find("products"), std::string::npos);
    EXPECT_EQ(report.find("× CSR"), std::string::npos);
}

TEST(Comparison, AChoiceThatWasNotReachedHasNoTime) {
    db::Entry entry = example();
    entry.candidates[4].status = db::Status::not_reached;
    entry.candidates[4].time.reset();
    const Comparison c = compare(entry, 15, {entry.candidates[4].id, 3, "exact"});
    EXPECT_FALSE(c.chosen);
    EXPECT_FALSE(geomean({c}).auto_vs_csr);
    const auto result = compare_document(entry.device, "warm", {c}, 1)["results"][0];
    EXPECT_EQ(result["auto"], nullptr);
    const std::string missing =
        entry.candidates[4].id + " was not measured: the sweep ended before";
    EXPECT_EQ(result["auto_missing"], missing);
    EXPECT_NE(compare_report(entry.device, "warm", {c}, Style()).find("example: auto, spmv.cuda."),
              std::string::npos);
}

TEST(Comparison, SaysWhatIsPartial) {
    db::Entry entry = example();
    entry.complete = true;
    const Comparison whole = compare(entry, 15, {entry.winner, 3, "exact"});
    entry.complete = false;
    const Comparison partial = compare(entry, 15, {entry.winner, 3, "exact"});
    const auto document = compare_document(entry.device, "warm", {whole, partial}, 2);
    EXPECT_EQ(document["results"][0]["complete"], true);
    EXPECT_EQ(document["results"][1]["complete"], false);
    EXPECT_EQ(document["complete"], false);
    EXPECT_EQ(compare_document(entry.device, "warm", {whole}, 1)["complete"], true);
    EXPECT_EQ(compare_document(entry.device, "warm", {whole}, 2)["complete"], false)
        << "one of two was left out";
    const auto says = [&](const Comparison& c) {
        return compare_report(entry.device, "warm", {c}, Style()).find(" partial: ") !=
               std::string::npos;
    };
    EXPECT_TRUE(says(partial));
    EXPECT_FALSE(says(whole));
}

TEST(Comparison, AChoiceThatFailedIsNotTakenForTheWinner) {
    db::Entry entry = example();
    entry.candidates[4].status = db::Status::out_of_memory;
    entry.candidates[4].reason = "of 5 GiB";
    const Comparison c = compare(entry, 15, {entry.candidates[4].id, 3, "model"});
    EXPECT_FALSE(c.chosen);
    EXPECT_EQ(c.missing, "cannot be compared: out of memory: of 5 GiB");
    EXPECT_FALSE(compare(entry, 15, {"unheard of", 3, "model"}).chosen);
}

TEST(Comparison, MeansAreOverThoseThatHaveARatio) {
    db::Entry alone = example();
    std::erase_if(alone.candidates, [](const db::Candidate& c) { return c.vendor; });
    const Comparison c = compare(alone, 15, {alone.winner, 3, "exact"});
    EXPECT_FALSE(ratios(c).oracle_vs_vendor_best);
    EXPECT_FALSE(geomean({c}).oracle_vs_vendor_best);
    EXPECT_FALSE(geomean({}).auto_vs_csr);

    const Comparison both = compare(example(), 15, {example().candidates[0].id, 3, "exact"});
    const Ratios mean = geomean({c, both});
    EXPECT_DOUBLE_EQ(*mean.oracle_vs_vendor_best, 1.5);
    EXPECT_DOUBLE_EQ(*mean.auto_vs_csr, std::sqrt(3.0));  // of 3 and 1
}

TEST(Comparison, NothingMeasuredIsNull) {
    db::Entry entry = example();
    for (db::Candidate& c : entry.candidates) c.status = db::Status::out_of_memory;
    entry.winner = "";
    const Comparison c = compare(entry, 15, {});
    const auto document = compare_document(entry.device, "warm", {c}, 1);
    const auto& result = document["results"][0];
    for (const char* key : {"csr_us", "vendor_best_us", "oracle", "auto"})
        EXPECT_TRUE(result[key].is_null()) << key;
    EXPECT_TRUE(result["vendor"].empty());
    EXPECT_TRUE(document["geomean"]["auto_vs_csr"].is_null());
    EXPECT_NE(compare_report(entry.device, "warm", {c}, Style()).find("nothing"),
              std::string::npos);
}

}  // namespace
}  // namespace sptune::cli
