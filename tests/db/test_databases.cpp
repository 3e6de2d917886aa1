// The order in which databases are asked, and exported files as databases.
#include "db/databases.hpp"
#include "db/document.hpp"
#include "db/export_index.hpp"
#include "tests/db/random_entry.hpp"
#include "tests/db/scratch.hpp"

#include <chrono>
#include <fstream>
#include <map>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace sptune::db {
namespace {

namespace fs = std::filesystem;

/// An environment in which nothing but a scratch folder is looked at.
class DatabasesTest : public testing::Test {
  protected:
    Scratch scratch_;
    std::vector<std::string> warnings_;

    void SetUp() override {
        set("SPTUNE_DB", "");
        set("HOME", "");
        set("XDG_DATA_HOME", scratch_ / "home");
        set("XDG_DATA_DIRS", (scratch_ / "a").string() + ":relative::" + (scratch_ / "b").string());
    }
    static void set(const char* name, const fs::path& value) { setenv(name, value.c_str(), 1); }

    Databases open(const std::string& named = {}) {
        return Databases(named, [this](const std::string& file, const std::string& reason) {
            warnings_.push_back(file + ": " + reason);
        });
    }
    /// `entry` with a creation time that tells where it is stored.
    static Entry marked(Entry entry, const std::string& year) {
        entry.provenance.created_utc = year + "-01-01T00:00:00Z";
        return entry;
    }
    static void save(const fs::path& folder, const Entry& entry) { Store(folder).save(entry); }
    static void save_export(const fs::path& file, const std::vector<Entry>& entries) {
        const Scratch scratch;
        for (const Entry& entry : entries) Store(scratch / "db").save(entry);
        put(file, export_store(Store(scratch / "db"), ExportFormat::json));
    }
    /// Of the first that has such an entry.
    std::string year_of(const Entry& like, Place* from = nullptr) {
        const Databases databases = open();
        for (const Databases::Item& item : databases.all())
            if (const auto found = item.store.load(like.device.key, entry_key(like))) {
                if (from) *from = item.place;
                return found->provenance.created_utc.substr(0, 4);
            }
        return "none";
    }
};

TEST_F(DatabasesTest, AreAskedInOrder) {
    const Entry entry = random_entry(1);
    EXPECT_EQ(year_of(entry), "none");
    Place from;
    save_export(scratch_ / "b/sptune/db.json", {marked(entry, "2004")});
    EXPECT_EQ(year_of(entry), "2004");
    save(scratch_ / "b/sptune/db", marked(entry, "2003"));
    EXPECT_EQ(year_of(entry), "2003");
    save_export(scratch_ / "a/sptune/db.json", {marked(entry, "2002")});
    EXPECT_EQ(year_of(entry, &from), "2002");
    EXPECT_EQ(from.owner, Place::Owner::system);
    EXPECT_EQ(from.path, scratch_ / "a/sptune/db.json");
    save(scratch_ / "home/sptune/db", marked(entry, "2001"));
    EXPECT_EQ(year_of(entry, &from), "2001");
    EXPECT_EQ(from.owner, Place::Owner::user);
    EXPECT_EQ(open().all().size(), 4u);
    EXPECT_TRUE(warnings_.empty());
}

TEST_F(DatabasesTest, WhatIsNamedStandsAlone) {
    const Entry entry = random_entry(1);
    save(scratch_ / "a/sptune/db", entry);
    ASSERT_TRUE(open().may_know(entry.device.key));
    EXPECT_FALSE(open((scratch_ / "mine").string()).may_know(entry.device.key));
    set("SPTUNE_DB", scratch_ / "mine");
    EXPECT_FALSE(open().may_know(entry.device.key));
    EXPECT_EQ(open().all().size(), 1u);
    EXPECT_EQ(open().own()->path(), scratch_ / "mine");
}

TEST_F(DatabasesTest, OnlyTheFirstIsWritten) {
    save(scratch_ / "a/sptune/db", random_entry(1));
    ASSERT_TRUE(open().own());
    EXPECT_EQ(open().own()->path(), scratch_ / "home/sptune/db");
    set("XDG_DATA_HOME", "");  // nobody's home
    EXPECT_EQ(open().all().size(), 1u);
    EXPECT_EQ(open().own(), nullptr);
}

TEST_F(DatabasesTest, WhatCannotBeReadIsAWarnedMiss) {
    const Entry entry = random_entry(1);
    put(scratch_ / "a/sptune/db", "no folder");
    put(scratch_ / "a/sptune/db.json", "{\"schema\": \"sptune.export/7\"}");
    save(scratch_ / "b/sptune/db", marked(entry, "2003"));
    EXPECT_EQ(year_of(entry), "2003");
    EXPECT_EQ(warnings_.size(), 2u);
    EXPECT_TRUE(open().may_know(entry.device.key));
    EXPECT_TRUE(open().device(entry.device.key));
    Missed missed;
    EXPECT_FALSE(open().all()[1].store.digest(entry.device.key, entry_key(entry), &missed));
    EXPECT_NE(missed.trouble.find("a/sptune/db: is not JSON"), std::string::npos) << missed.trouble;
}

TEST_F(DatabasesTest, ADeviceIsReadOnce) {
    const Entry entry = random_entry(1);
    const Databases all = open();
    EXPECT_FALSE(all.device(entry.device.key));
    save(scratch_ / "home/sptune/db", entry);
    ASSERT_TRUE(all.device(entry.device.key)) << "that there was none is not remembered";
    std::filesystem::remove_all(scratch_ / "home/sptune/db");
    EXPECT_TRUE(all.device(entry.device.key));
    EXPECT_FALSE(open().device(entry.device.key));
}

TEST_F(DatabasesTest, ADeviceWithoutABandwidthIsLookedForAgain) {
    Entry entry = random_entry(1);
    const Databases all = open();
    for (const double gbs : {0.0, 20.0, 30.0}) {
        entry.device.bandwidth_gbs = gbs;
        save(scratch_ / "home/sptune/db", entry);
        EXPECT_EQ(all.device(entry.device.key)->bandwidth_gbs, std::min(gbs, 20.0));
    }
}

TEST_F(DatabasesTest, TheBuiltInOneIsTheLast) {
    const auto all = places();
    ASSERT_EQ(all.size(), 1 + 2 * 2 + 1u);
    EXPECT_EQ(all.back().owner, Place::Owner::built_in);
    EXPECT_EQ(all.back().path.filename(), "built-in.json");
    EXPECT_TRUE(all.back().path.is_absolute());
}

TEST_F(DatabasesTest, AnExportIsIndexedAgainWhenItChanges) {
    const fs::path file = scratch_ / "export.json";
    const Entry one = random_entry(1), two = random_entry(2);
    save_export(file, {one});
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // or it might change unseen
    const auto index = ExportIndex::of(file);
    EXPECT_EQ(index, ExportIndex::of(file)) << "read once";
    EXPECT_TRUE(index->knows(one.device.key));
    EXPECT_FALSE(index->knows("another"));
    EXPECT_EQ(index->find(entry_key(one)).size(), 1u);
    EXPECT_TRUE(index->find(entry_key(two)).empty());
    save_export(file, {one, two});
    EXPECT_EQ(ExportIndex::of(file)->find(entry_key(two)).size(), 1u);
    put(file, "");
    EXPECT_THROW(ExportIndex::of(file), Error);
    EXPECT_TRUE(Store(file).may_know(one.device.key))
        << "who asks on is told why it cannot be read";
    fs::remove(file);
    EXPECT_THROW(ExportIndex::of(file), Error);
}

TEST_F(DatabasesTest, AnExportThatWasCutOffIsRefusedAndOneLaidOutAnewIsNot) {
    const fs::path file = scratch_ / "export.json";
    const Entry one = random_entry(1), two = random_entry(2);
    save_export(file, {one, two});
    const std::string whole = content(file);
    const std::size_t second = whole.rfind("\n{");
    for (const std::size_t size : {whole.size() - 2, whole.size() - 4, whole.size() - 6, second + 1,
                                   second, second - 1, second + 200, whole.find('[')}) {
        put(file, whole.substr(0, size));
        EXPECT_THROW(ExportIndex::of(file), Error) << "cut off after " << size << " bytes";
    }
    for (const int indent : {-1, 0, 2}) {
        put(file, nlohmann::ordered_json::parse(whole).dump(indent));
        EXPECT_TRUE(ExportIndex::of(file)->knows(one.device.key)) << "indent " << indent;
        EXPECT_EQ(ExportIndex::of(file)->find(entry_key(two)).size(), 1u) << "indent " << indent;
    }
    put(file, whole + "{}");
    EXPECT_THROW(ExportIndex::of(file), Error) << "something follows";
    save_export(file, {});
    EXPECT_FALSE(ExportIndex::of(file)->knows(one.device.key));
}

}  // namespace
}  // namespace sptune::db
