#include "db/codec.hpp"
#include "db/document.hpp"
#include "db/seal.hpp"
#include "db/store.hpp"
#include "tests/db/random_entry.hpp"
#include "tests/db/scratch.hpp"

#include <chrono>
#include <fstream>
#include <random>
#include <regex>
#include <set>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace sptune::db {
namespace {

/// Digests as text, to compare them and to see where they differ.
std::string text_of(const Digest& d) {
    nlohmann::ordered_json json{{"device", to_json(d.device)}, {"features", to_json(d.features)},
                                {"winner", d.winner},          {"baseline", d.baseline},
                                {"complete", d.complete},      {"cores_busy", d.cores_busy},
                                {"one_value", d.one_value}};
    for (const Measured& c : d.fastest)
        json["fastest"].push_back(
            {c.id, c.kernel_hash, c.median_us, c.convert_us, c.vendor, c.device_us});
    return json.dump(1);
}

class DigestTest : public testing::Test {
  protected:
    Scratch scratch_;
    std::vector<std::string> warnings_;
    Store store_{scratch_ / "db", [this](const std::string&, const std::string& reason) {
                     warnings_.push_back(reason);
                 }};

    std::filesystem::path file(const Entry& e) const {
        return store_.path() / path_safe(e.device.key) / (entry_key(e) + ".json");
    }
};

TEST_F(DigestTest, IsThatOfTheWholeEntry) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const Entry entry = random_entry(seed);
        store_.save(entry);
        const auto digest = store_.digest(entry.device.key, entry_key(entry));
        ASSERT_TRUE(digest) << seed;
        EXPECT_EQ(text_of(*digest), text_of(digest_of(entry))) << seed;
        EXPECT_TRUE(is_sealed(content(file(entry)))) << "else it would have been read in full";
    }
    EXPECT_TRUE(warnings_.empty());
}

/// What a digest leaves out is not to hide that a file is damaged.
TEST_F(DigestTest, SaysNothingElseOfADamagedFileThanAllOfIt) {
    const Entry entry = random_entry(11);
    store_.save(entry);
    const std::string good = content(file(entry));
    std::vector<std::string> damaged{good + good, good.substr(0, good.size() - 3)};
    std::mt19937 random(5);
    for (int i = 0; i < 400; ++i) {
        std::string text = good;
        const std::size_t at = random() % text.size();
        if (i % 3 == 0)
            text.erase(at, 1 + random() % 40);
        else
            text[at] = "x0\"{},\0-"[random() % 8];
        damaged.push_back(std::move(text));
    }
    int refused = 0;
    for (const std::string& text : damaged) {
        put(file(entry), text);
        warnings_.clear();
        const auto digest = store_.digest(entry.device.key, entry_key(entry));
        const std::vector<std::string> warnings = std::exchange(warnings_, {});
        const auto all = store_.load(entry.device.key, entry_key(entry));
        EXPECT_EQ(warnings, warnings_);
        refused += !all;
        ASSERT_EQ(digest.has_value(), all.has_value());
        if (all) {
            EXPECT_EQ(text_of(*digest), text_of(digest_of(*all)));
        }
    }
    EXPECT_GT(refused, 200);
}

TEST_F(DigestTest, KeepsTheFastestAndThoseThatMatter) {
    Entry entry = random_entry(3);
    entry.candidates.clear();
    const auto add = [&](const std::string& id, double us, Status status = Status::ok) {
        Candidate c;
        c.id = id;
        c.status = status;
        c.time = TimeUs{us, 0, 1, {1, us, 300 + us}};
        entry.candidates.push_back(c);
    };
    for (int i = 0; i < 200; ++i)
        add(fmt::format("spmv.cpu.sell.simd.c{}.f64.i32", i), 200.0 - i,
            i % 10 == 9 ? Status::incorrect : Status::ok);
    entry.baseline = "spmv.cpu.sell.simd.c0.f64.i32";
    entry.winner = "spmv.cpu.sell.simd.c1.f64.i32";
    // Slower than all of those: what needs no conversion, and what one may be asked to choose from.
    const std::set<std::string> kept{
        "spmv.cpu.csr.static.u1.f64.i32",    "spmv.cpu.csr.static.u2.f64.i32",
        "spmv.cpu.csr.static.u4.f64.i32",    "spmv.cpu.csr.merge.f64.i32",
        "spmv.cpu.coo.segmented.w1.f64.i32", "spmv.cpu.coo.segmented.wn.f64.i32",
        "spmv.cpu.mkl.csr.o1.f64.i32"};
    double us = 300;
    for (const std::string& id : kept) add(id, us += 1);
    add("spmv.cpu.coo.segmented.w2.f64.i32", 500);
    add("spmv.cpu.coo.segmented.w4.f64.i32", 500);
    for (const bool stored : {false, true}) {
        Digest d = digest_of(entry), all = digest_of(entry, Extent::all);
        if (stored) {
            store_.save(entry);
            d = store_.digest(entry.device.key, entry_key(entry)).value();
            all = store_.digest(entry.device.key, entry_key(entry), nullptr, Extent::all).value();
        }
        ASSERT_EQ(d.fastest.size(), kDigestCandidates + 2 + kept.size());
        EXPECT_EQ(d.fastest.front().id, "spmv.cpu.sell.simd.c198.f64.i32");
        EXPECT_EQ(d.fastest[kDigestCandidates + 1].id, "spmv.cpu.sell.simd.c0.f64.i32");
        for (const std::string& id : kept)
            EXPECT_NE(std::ranges::find(d.fastest, id, &Measured::id), d.fastest.end()) << id;
        EXPECT_EQ(all.fastest.size(), 180 + kept.size() + 2);
        for (const Measured& c : all.fastest)
            EXPECT_NE(c.id, "spmv.cpu.sell.simd.c9.f64.i32") << "was incorrect";
    }
}

TEST_F(DigestTest, OfAnExportedDocument) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) store_.save(random_entry(seed));
    const auto file = scratch_ / "export.json";
    const std::string text = export_store(store_, ExportFormat::json);
    std::ofstream(file) << text;
    // The same document as another program may have written it.
    const auto other = scratch_ / "other.json";
    std::ofstream(other) << nlohmann::ordered_json::parse(text).dump(2);
    for (const auto& path : {file, other}) {
        const Store exported(path);
        for (std::uint64_t seed = 0; seed < 10; ++seed) {
            const Entry entry = random_entry(seed);
            const auto digest = exported.digest(entry.device.key, entry_key(entry));
            ASSERT_TRUE(digest) << path << seed;
            EXPECT_EQ(text_of(*digest), text_of(digest_of(entry)));
            EXPECT_FALSE(exported.digest("another-device", entry_key(entry)));
        }
    }
}

/// Names hold what looks like structure, and texts end in the middle of it.
TEST_F(DigestTest, OfALineThatIsHardToRead) {
    Entry entry = random_entry(4);
    entry.matrix.name = R"(a"},{"id":"x"]}, \ "fingerprint":"0" ,"device":{"key":"none")";
    auto json = to_json(entry);
    const std::string plain = to_line(json);
    seal(json, Layout::one_line);
    const std::string line = to_line(json);
    EXPECT_FALSE(is_sealed(plain));
    EXPECT_TRUE(is_sealed(line));
    for (const std::string& text : {plain, line}) {
        const auto digest = read_digest_of_line(text, entry_key(entry));
        ASSERT_TRUE(digest);
        EXPECT_EQ(text_of(*digest), text_of(digest_of(entry)));
        EXPECT_FALSE(read_digest_of_line(text, entry_key(random_entry(5))));
    }
    for (std::size_t size = 0; size < line.size(); size += 97) try {
            read_digest_of_line(line.substr(0, size), entry_key(entry));
        } catch (const Error&) {  // no more than that
        }
}

TEST_F(DigestTest, OfAFileInAnotherLayout) {
    const Entry entry = random_entry(5);
    store_.save(entry);
    std::ofstream(file(entry)) << to_json(entry).dump(4);
    const auto digest = store_.digest(entry.device.key, entry_key(entry));
    ASSERT_TRUE(digest);
    EXPECT_EQ(text_of(*digest), text_of(digest_of(entry)));
    EXPECT_EQ(to_json(store_.device(entry.device.key).value()), to_json(entry.device));
}

TEST_F(DigestTest, WhatCannotBeUsedIsAWarnedMiss) {
    const Entry entry = random_entry(6);
    store_.save(entry);
    for (const char* text : {"", "{\n\"schema\": \"sptune.entry/2\"\n}",
                             "{\n\"schema\": \"sptune.entry/1\",\n\"dev"}) {
        warnings_.clear();
        std::ofstream(file(entry)) << text;
        Missed missed;
        EXPECT_FALSE(store_.digest(entry.device.key, entry_key(entry), &missed)) << text;
        EXPECT_EQ(warnings_.size(), 1u) << text;
        EXPECT_TRUE(missed.others.empty()) << text;
    }
    std::filesystem::remove(file(entry));
    warnings_.clear();
    EXPECT_FALSE(store_.digest(entry.device.key, entry_key(entry)));
    EXPECT_TRUE(warnings_.empty());
}

/// Valid, and no sweep's all the same: what nothing else can tell, the checksum does.
TEST_F(DigestTest, AnAlteredEntryIsUsedWithAWarning) {
    Entry entry = random_entry(6);
    entry.device.bandwidth_gbs = 100;
    store_.save(entry);
    const std::string good = content(file(entry));
    auto json = nlohmann::ordered_json::parse(good);
    // As jq prints it: whole numbers without a point.
    const std::string other_layout =
        std::regex_replace(json.dump(2), std::regex(R"((\d)\.0\b)"), "$1");
    ASSERT_NE(other_layout.size(), json.dump(2).size()) << "no number to write otherwise";
    json["provenance"]["seed"] = 12345;
    const std::string altered = json.dump();
    json.erase("checksum");
    const std::string vouched_for = to_text(json);
    for (const std::string* text : {&good, &other_layout, &altered, &vouched_for}) {
        const bool is_altered = text == &altered;
        put(file(entry), *text);
        warnings_.clear();
        const auto digest = store_.digest(entry.device.key, entry_key(entry));
        ASSERT_TRUE(digest) << *text;
        EXPECT_EQ(digest->altered, is_altered) << *text;
        EXPECT_TRUE(store_.load(entry.device.key, entry_key(entry)));
        EXPECT_EQ(store_.for_each([](const auto&, const Entry&) {}), 0) << "all are usable";
        EXPECT_EQ(warnings_.size(), is_altered ? 3u : 0u);
        for (const std::string& warning : warnings_)
            EXPECT_TRUE(warning.starts_with("used, but it has changed since")) << warning;
        const Store::Check check = store_.check();
        EXPECT_EQ(check.valid, !is_altered);
        ASSERT_EQ(check.faults.size(), is_altered ? 1u : 0u);
        if (is_altered) {
            EXPECT_NE(check.faults[0].reason.find("checksum"), std::string::npos);
        }
        // The same entry in an exported document.
        const auto document = scratch_ / "altered.json";
        const auto entries = nlohmann::ordered_json::array({nlohmann::ordered_json::parse(*text)});
        put(document,
            nlohmann::ordered_json{{"schema", "sptune.export/1"}, {"entries", entries}}.dump());
        const Store exported(document);
        EXPECT_EQ(exported.check().valid, !is_altered);
        EXPECT_EQ(exported.digest(entry.device.key, entry_key(entry)).value().altered, is_altered);
    }
}

/// Also where it is not the winner whose line cannot be read.
TEST_F(DigestTest, ASpoiledLineIsAWarnedMiss) {
    Entry entry = random_entry(8);
    entry.candidates.clear();
    for (const char* id : {"a", "b"}) {
        Candidate c;
        c.id = id;
        c.status = Status::ok;
        c.time = TimeUs{2, 0, 1, {1, 2, 3}};
        entry.candidates.push_back(c);
    }
    entry.baseline = "a";
    entry.winner = "b";
    store_.save(entry);
    const std::string good = content(file(entry)), all = export_store(store_, ExportFormat::json);
    const std::pair<const char*, const char*> changes[] = {
        {"\"median\":2.0", "\"median\":NaN"},  {"\"median\":2.0", "\"median\": NaN"},
        {"\"median\":2.0", "\"median\":0.0"},  {"\"median\":2.0", "\"median\":-2.0"},
        {"\"median\":2.0", "\"median\":2.0x"}, {"\"median\":2.0", "\"median\":1e999"},
        {"\"median\":2.0", "\"medium\":2.0"},  {"\"status\":\"ok\"", "\"state\":\"ok\""},
        {"{\"id\":\"a\"", "{\"name\":\"a\""},  {"\"winner\": \"b\"", "\"winner\": \"c\""}};
    const auto exported = scratch_ / "export.json";
    for (const auto& [from, to] : changes) {
        std::string text = good;
        ASSERT_NE(text.find(from), std::string::npos) << from;
        put(file(entry), text.replace(text.find(from), std::string(from).size(), to));
        warnings_.clear();
        EXPECT_FALSE(store_.digest(entry.device.key, entry_key(entry))) << to;
        EXPECT_EQ(warnings_.size(), 1u) << to;
    }
    std::string blank = all;
    put(exported, blank.replace(blank.find("\"median\":2.0"), 12, "\"median\": 2.0"));
    EXPECT_TRUE(Store(exported).digest(entry.device.key, entry_key(entry))) << "is as good JSON";
    std::string text = all;
    put(exported, text.replace(text.find("\"median\":2.0"), 12, "\"median\":NaN"));
    Missed missed;
    EXPECT_FALSE(Store(exported).digest(entry.device.key, entry_key(entry), &missed));
    EXPECT_NE(missed.trouble, "");
}

TEST_F(DigestTest, NothingIsStoredWhereThereIsNoFolder) {
    EXPECT_TRUE(Store(scratch_ / "nowhere").is_empty());
    std::filesystem::create_directories(scratch_ / "new");
    EXPECT_TRUE(Store(scratch_ / "new").is_empty());
    put(scratch_ / "file", "something");
    EXPECT_FALSE(Store(scratch_ / "file").is_empty()) << "an exported file, or a broken one";
}

TEST_F(DigestTest, OtherDevicesAreNamedAndNotUsed) {
    Entry entry = random_entry(7);
    entry.device.key = "theirs";
    store_.save(entry);
    Missed missed;
    EXPECT_FALSE(store_.digest("mine", entry_key(entry), &missed));
    EXPECT_EQ(missed.others, std::vector<std::string>{"theirs"});
    EXPECT_EQ(missed.trouble, "");
    EXPECT_FALSE(store_.may_know("mine"));
    EXPECT_TRUE(store_.may_know("theirs"));
    EXPECT_FALSE(store_.is_empty());
    EXPECT_FALSE(store_.device("mine"));
    const auto exported = scratch_ / "export.json";
    put(exported, export_store(store_, ExportFormat::json));
    missed = {};
    EXPECT_FALSE(Store(exported).digest("mine", entry_key(entry), &missed));
    EXPECT_EQ(missed.others, std::vector<std::string>{"theirs"});
    EXPECT_EQ(to_json(store_.device("theirs").value()), to_json(entry.device));
}

TEST_F(DigestTest, DevicesThatShareAFolderDoNotShareEntries) {
    Entry entry = random_entry(7);
    entry.device.key = "my device";
    store_.save(entry);
    EXPECT_TRUE(store_.digest("my device", entry_key(entry)));
    EXPECT_FALSE(store_.digest("my_device", entry_key(entry)));
    EXPECT_TRUE(store_.device("my device"));
    EXPECT_FALSE(store_.device("my_device"));
}

TEST_F(DigestTest, AFileUnderAnothersNameIsAWarnedMiss) {
    const Entry entry = random_entry(7);
    Entry other = entry;
    other.matrix.fingerprint = other.features.fingerprint = 77;
    store_.save(entry);
    std::filesystem::rename(file(entry), file(other));
    EXPECT_FALSE(store_.digest(entry.device.key, entry_key(other)));
    EXPECT_EQ(warnings_.size(), 1u);
}

// What is remembered of a folder is another process's to change.
TEST_F(DigestTest, OthersMayStoreRemoveAndReplaceMeanwhile) {
    const auto settle = [&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        store_.may_know("any");
    };
    Entry entry = random_entry(7);
    const std::string& device = entry.device.key;
    EXPECT_TRUE(store_.is_empty());
    std::filesystem::create_directories(store_.path());
    settle();
    EXPECT_TRUE(store_.is_empty());
    EXPECT_FALSE(store_.may_know(device));
    Store(store_.path()).save(entry);
    EXPECT_FALSE(store_.is_empty());
    EXPECT_TRUE(store_.may_know(device));
    EXPECT_TRUE(store_.digest(device, entry_key(entry)));
    settle();
    Entry other = entry;
    other.matrix.fingerprint = other.features.fingerprint = 77;
    Missed missed;
    EXPECT_FALSE(store_.digest(device, entry_key(other), &missed));
    EXPECT_TRUE(missed.others.empty());
    other.device.key = "theirs";
    Store(store_.path()).save(other);
    EXPECT_FALSE(store_.digest(device, entry_key(other), &missed));
    EXPECT_EQ(missed.others, std::vector<std::string>{"theirs"});
    settle();
    std::filesystem::rename(store_.path(), scratch_ / "aside");
    EXPECT_TRUE(store_.is_empty());
    EXPECT_FALSE(store_.may_know(device));
    EXPECT_FALSE(store_.digest(device, entry_key(entry), &missed));
    EXPECT_TRUE(missed.absent);
    std::filesystem::rename(scratch_ / "aside", store_.path());
    EXPECT_TRUE(store_.digest(device, entry_key(entry)));
}

/// What has been read is remembered as long as it is the same file.
TEST_F(DigestTest, AnotherFileIsReadAnew) {
    Entry entry = random_entry(9);
    const auto settle = [] { std::this_thread::sleep_for(std::chrono::milliseconds(50)); };
    const auto speed = [&] {
        const auto digest = store_.digest(entry.device.key, entry_key(entry));
        return digest ? digest->device.bandwidth_gbs : -1;
    };
    for (const double gbs : {11.0, 22.0, 33.0}) {
        entry.device.bandwidth_gbs = gbs;
        Store(store_.path()).save(entry);
        settle();
        for (int again = 0; again < 3; ++again) EXPECT_EQ(speed(), gbs);
    }
    std::string text = content(file(entry));
    text.replace(text.find("\"bandwidth_gbs\":33"), 18, "\"bandwidth_gbs\":44");
    put(file(entry), text);  // in place, as no sptune does, and as long
    settle();
    for (int again = 0; again < 3; ++again) EXPECT_EQ(speed(), 44);
    std::filesystem::remove(file(entry));
    EXPECT_EQ(speed(), -1);
}

TEST_F(DigestTest, AnInvalidEntryOfAnExportInAnotherLayoutIsNamed) {
    const Entry good = random_entry(1), bad = random_entry(2);
    store_.save(good);
    store_.save(bad);
    auto json = nlohmann::ordered_json::parse(export_store(store_, ExportFormat::json));
    for (auto& e : json["entries"])
        if (e["matrix"]["fingerprint"] == to_json(bad)["matrix"]["fingerprint"])
            e["schema"] = "sptune.entry/9";
    const auto exported = scratch_ / "export.json";
    put(exported, json.dump(2));
    const Store store(exported);
    Missed missed;
    EXPECT_TRUE(store.digest(good.device.key, entry_key(good), &missed));
    EXPECT_EQ(missed.trouble, "");
    EXPECT_TRUE(store.may_know(bad.device.key));
    EXPECT_FALSE(store.digest(bad.device.key, entry_key(bad), &missed));
    EXPECT_NE(missed.trouble.find("sptune.entry/9"), std::string::npos) << missed.trouble;
}

}  // namespace
}  // namespace sptune::db
