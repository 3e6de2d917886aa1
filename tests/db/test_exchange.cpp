#include "db/codec.hpp"
#include "db/csv.hpp"
#include "db/document.hpp"
#include "db/store.hpp"
#include "tests/db/random_entry.hpp"
#include "tests/db/scratch.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace sptune::db {
namespace {

Entry dated(bool complete, const char* created, const char* note) {
    Entry entry = random_entry(1);
    entry.complete = complete;
    entry.provenance.created_utc = created;
    entry.provenance.compiler = note;
    return entry;
}

TEST(Merge, CompleteBeatsIncompleteThenNewerStays) {
    const char *const old = "2026-01-01T00:00:00Z", *const late = "2026-01-02T00:00:00Z";
    struct {
        bool own_complete, other_complete;
        const char *own_time, *other_time;
        bool replaced;
    } const cases[] = {
        {true, true, old, late, true},   {true, true, late, old, false},
        {true, true, old, old, false},   {false, true, late, old, true},
        {true, false, old, late, false}, {false, false, old, late, true},
    };
    for (const auto& c : cases) {
        const Scratch scratch;
        const Store own(scratch / "own"), other(scratch / "other");
        own.save(dated(c.own_complete, c.own_time, "own"));
        other.save(dated(c.other_complete, c.other_time, "other"));
        const MergeCount count = merge(other, own);
        EXPECT_EQ(count.replaced, c.replaced);
        EXPECT_EQ(count.kept, !c.replaced);
        const Entry e = random_entry(1);
        EXPECT_EQ(own.load(e.device.key, entry_key(e))->provenance.compiler,
                  c.replaced ? "other" : "own");
    }
}

TEST(Merge, MoreKernelsBeatLaterOnes) {
    const char *const old = "2026-01-01T00:00:00Z", *const late = "2026-01-02T00:00:00Z";
    Entry full = dated(true, old, "full"), few = dated(true, late, "few");
    Candidate extra = few.candidates.front();
    extra.id = "one.more";
    extra.status = Status::bounded;
    extra.time.reset();
    full.candidates.push_back(extra);
    extra.status = Status::not_reached;
    few.candidates.push_back(extra);
    for (const bool full_first : {true, false}) {
        const Scratch scratch;
        const Store first(scratch / "first"), second(scratch / "second"), all(scratch / "all");
        first.save(full_first ? full : few);
        second.save(full_first ? few : full);
        EXPECT_EQ(merge(first, all).taken, 1);
        const MergeCount count = merge(second, all);
        EXPECT_EQ(count.taken, 0);
        EXPECT_EQ(count.replaced, !full_first);
        EXPECT_EQ(count.kept, full_first);
        EXPECT_EQ(all.load(full.device.key, entry_key(full))->provenance.compiler, "full");
    }
}

TEST(Merge, WhatWasMeasuredBesideOthersGivesWay) {
    const char *const old = "2026-01-01T00:00:00Z", *const late = "2026-01-02T00:00:00Z";
    Entry alone = dated(true, old, "alone"), beside = dated(true, late, "beside");
    alone.provenance.cores_busy.reset();
    beside.provenance.cores_busy = true;
    for (const bool alone_first : {true, false}) {
        const Scratch scratch;
        const Store own(scratch / "own"), other(scratch / "other");
        own.save(alone_first ? alone : beside);
        other.save(alone_first ? beside : alone);
        EXPECT_EQ(merge(other, own).replaced, !alone_first);
        EXPECT_EQ(own.load(alone.device.key, entry_key(alone))->provenance.compiler, "alone");
    }
}

TEST(Merge, CountsWhatItRefuses) {
    const Scratch scratch;
    const Store from(scratch / "from"), to(scratch / "to");
    for (std::uint64_t seed = 0; seed < 5; ++seed) from.save(random_entry(seed));
    put(scratch / "from" / "device" / "spmv-f64-i32-warm-00000000000000c0.json", "garbage");
    const Entry newer = random_entry(0);
    put(to.path() / newer.device.key / (entry_key(newer) + ".json"),
        "{\"schema\": \"sptune.entry/2\"}");
    put(from.path() / "device" / "settings.json", "{}");  // nobody's entry
    const MergeCount count = merge(from, to);
    EXPECT_EQ(count.taken, 4);
    EXPECT_EQ(count.kept, 0);
    EXPECT_EQ(count.refused, 2);
}

TEST(Export, IsADatabaseItself) {
    const Scratch scratch;
    const Store folder(scratch / "db");
    for (std::uint64_t seed = 0; seed < 12; ++seed) folder.save(random_entry(seed));
    put(scratch / "all.json", export_store(folder, ExportFormat::json));
    std::vector<std::string> warnings;
    const Store file(scratch / "all.json", [&](const std::string& name, const std::string& reason) {
        warnings.push_back(name + ": " + reason);
    });
    EXPECT_TRUE(file.read_only());
    EXPECT_EQ(file.list().size(), 12u);
    EXPECT_TRUE(file.check().faults.empty());
    const Entry wanted = random_entry(7);
    const auto found = file.load(wanted.device.key, entry_key(wanted));
    ASSERT_TRUE(found);
    EXPECT_EQ(to_json(*found), to_json(wanted));
    EXPECT_FALSE(file.load("elsewhere", entry_key(wanted)));
    EXPECT_THROW(file.save(wanted), Error);
    EXPECT_THROW(file.prune(1, false), Error);
    EXPECT_TRUE(warnings.empty());

    const Store back(scratch / "back");
    EXPECT_EQ(merge(file, back).taken, 12);
    EXPECT_EQ(merge(folder, back).kept, 12);
}

TEST(Export, OneBadEntryDoesNotSpoilTheOthers) {
    const Scratch scratch;
    nlohmann::ordered_json document{{"schema", "sptune.export/1"}, {"entries", {1}}};
    document["entries"].push_back(to_json(random_entry(1)));
    put(scratch / "all.json", document.dump());
    const Store file(scratch / "all.json");
    EXPECT_EQ(file.list().size(), 1u);
    ASSERT_EQ(file.check().faults.size(), 1u);
    EXPECT_TRUE(file.check().faults[0].file.ends_with("all.json: entries[0]"));
}

/// A strict reader of RFC 4180: rows of cells.
std::vector<std::vector<std::string>> parse_csv(const std::string& text) {
    std::vector<std::vector<std::string>> rows;
    std::string cell;
    std::vector<std::string> row;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '"') {
            for (++i; text.at(i) != '"' || text.at(i + 1) == '"'; ++i) {
                if (text[i] == '"') ++i;
                cell += text[i];
            }
        } else if (text[i] == ',' || text[i] == '\n') {
            row.push_back(std::exchange(cell, {}));
            if (text[i] == '\n') rows.push_back(std::exchange(row, {}));
        } else {
            cell += text[i];
        }
    }
    return rows;
}

TEST(Csv, HasARowForEachCandidateAndQuotesWhatItMust) {
    const Scratch scratch;
    const Store store(scratch / "db");
    std::size_t candidates = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const Entry entry = random_entry(seed);
        candidates += entry.candidates.size();
        store.save(entry);
    }
    Entry entry = random_entry(30);
    entry.matrix.name = "a,\"b\"\nc";
    entry.candidates.resize(1);
    entry.candidates[0].id = "only";
    entry.candidates[0].status = Status::bounded;
    entry.candidates[0].time.reset();
    entry.candidates[0].params = {{"c", 8}, {"s", kAll}};
    entry.baseline = "only";
    entry.winner.clear();
    entry.device.key = "a-first";
    store.save(entry);

    const auto rows = parse_csv(export_store(store, ExportFormat::csv));
    ASSERT_EQ(rows.size(), candidates + 2);
    const auto& header = rows[0];
    for (const auto& row : rows) ASSERT_EQ(row.size(), header.size());
    EXPECT_EQ(std::set<std::string>(header.begin(), header.end()).size(), header.size());
    const auto cell = [&](const std::string& column) {
        const auto at = std::ranges::find(header, column);
        EXPECT_NE(at, header.end()) << column;
        return at == header.end() ? "" : rows[1][static_cast<std::size_t>(at - header.begin())];
    };
    EXPECT_EQ(cell("matrix_name"), "a,\"b\"\nc");
    EXPECT_EQ(cell("device_key"), "a-first");
    EXPECT_EQ(cell("candidate_params"), "c8.sn");
    EXPECT_EQ(cell("candidate_status"), "bounded");
    EXPECT_EQ(cell("candidate_time_us_median"), "");
    EXPECT_EQ(cell("winner"), "");
    EXPECT_EQ(std::stod(cell("features_row_gini")), entry.features.row_gini);
}

}  // namespace
}  // namespace sptune::db
