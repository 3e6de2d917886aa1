// What pruning removes, what it brings back to its place, and what it leaves alone.
#include "db/codec.hpp"
#include "db/document.hpp"
#include "db/store.hpp"
#include "matrix/error.hpp"
#include "tests/db/random_entry.hpp"
#include "tests/db/scratch.hpp"

#include <chrono>
#include <set>

#include <gtest/gtest.h>

namespace sptune::db {
namespace {

namespace fs = std::filesystem;

void age(const fs::path& file, int hours) {
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(hours));
}

TEST(Prune, RemovesWhatIsOfNoUse) {
    const Scratch scratch;
    const Store store(scratch / "db");
    const auto now = std::chrono::system_clock::now();
    Entry complete = random_entry(1), fresh = random_entry(2), stale = random_entry(3);
    complete.complete = true;
    complete.provenance.created_utc = "2001-01-01T00:00:00Z";
    fresh.complete = false;
    fresh.provenance.created_utc = utc_time(now - std::chrono::hours(24));
    stale.complete = false;
    stale.provenance.created_utc = utc_time(now - std::chrono::hours(24 * 40));
    for (const Entry& entry : {complete, fresh, stale}) store.save(entry);
    const fs::path device = store.path() / "cpu-test-0t";
    const fs::path corrupt = device / "spmv-f64-i32-warm-00000000000000c0.json",
                   newer = device / "spmv-f64-i32-warm-00000000000000c1.json",
                   foreign = store.path() / "sub" / "settings.json",
                   broken = device / "copy of an entry.json";
    put(corrupt, "{");
    put(foreign, "{}");
    put(broken, "{");
    put(newer, "{\"schema\": \"sptune.entry/2\"}");
    // A temporary file as a killed writer leaves it, and one of a writer that may still be alive.
    const fs::path left = device / ".sptune-left.tmp", live = device / ".sptune-live.tmp";
    put(left, "{");
    put(live, "{");
    age(left, 2);

    const auto listed = store.prune(30, true).removed;
    EXPECT_TRUE(fs::exists(corrupt));
    const auto removed = store.prune(30, false).removed;
    EXPECT_EQ(removed, listed);
    const std::set<std::string> expected{(store.path() / file_of(stale)).string(), corrupt.string(),
                                         left.string()};
    EXPECT_EQ(std::set<std::string>(removed.begin(), removed.end()), expected);
    for (const std::string& file : removed) EXPECT_FALSE(fs::exists(file));
    EXPECT_EQ(store.list().size(), 2u);
    EXPECT_TRUE(fs::exists(newer));
    EXPECT_TRUE(fs::exists(foreign));
    EXPECT_TRUE(fs::exists(broken));
    EXPECT_TRUE(fs::exists(live));
}

TEST(Store, PruneBringsEntriesBackToTheirPlace) {
    const Scratch scratch;
    const Store store(scratch / "db");
    Entry moved = random_entry(1), twice = random_entry(2);
    moved.complete = twice.complete = true;
    store.save(moved);
    store.save(twice);
    const fs::path wrong = store.path() / "renamed-by-hand";
    fs::create_directories(wrong);
    const fs::path own = store.path() / file_of(moved), other = store.path() / file_of(twice);
    fs::rename(own, wrong / own.filename());
    fs::copy(other, wrong / other.filename());
    put(own, "{");  // of no use, where the moved one belongs
    for (const bool dry_run : {true, false}) {
        const Store::Pruned done = store.prune(30, dry_run);
        const std::vector expected{own.string(), (wrong / other.filename()).string()};
        EXPECT_TRUE(std::ranges::is_permutation(done.removed, expected)) << dry_run;
        ASSERT_EQ(done.moved.size(), 1u) << dry_run;
        EXPECT_EQ(done.moved[0], std::pair((wrong / own.filename()).string(), own.string()));
    }
    EXPECT_TRUE(fs::exists(own));
    EXPECT_TRUE(fs::is_empty(wrong));
    EXPECT_EQ(store.list().size(), 2u);
    EXPECT_TRUE(store.check().faults.empty());
}

TEST(Store, PrunePutsOneOfSeveralCopiesBack) {
    const Scratch scratch;
    const Store store(scratch / "db");
    Entry entry = random_entry(1);
    entry.complete = true;
    store.save(entry);
    const fs::path own = store.path() / file_of(entry);
    for (const char* folder : {"one", "two"}) {
        fs::create_directories(store.path() / folder);
        fs::copy(own, store.path() / folder / own.filename());
    }
    fs::remove(own);
    for (const bool dry_run : {true, false}) {
        const Store::Pruned done = store.prune(30, dry_run);
        EXPECT_EQ(done.moved.size(), 1u) << dry_run;
        EXPECT_EQ(done.removed.size(), 1u) << dry_run;
    }
    EXPECT_TRUE(store.load(entry.device.key, entry_key(entry)));
}

TEST(Store, PruneMakesRoomBeforeItPutsBack) {
    for (const char* name : {"_before", "zz-behind"}) {  // of the right folder, in order
        const Scratch scratch;
        const Store store(scratch / "db");
        Entry entry = random_entry(1);
        entry.complete = true;
        store.save(entry);
        const fs::path own = store.path() / file_of(entry), wrong = store.path() / name;
        fs::create_directories(wrong);
        fs::rename(own, wrong / own.filename());
        entry.complete = false;
        entry.provenance.created_utc = "2001-01-01T00:00:00Z";
        store.save(entry);
        for (const bool dry_run : {true, false}) {
            const Store::Pruned done = store.prune(30, dry_run);
            EXPECT_EQ(done.removed, std::vector{own.string()}) << name;
            EXPECT_EQ(done.moved.size(), 1u) << name;
        }
        ASSERT_EQ(store.list().size(), 1u) << name;
        EXPECT_TRUE(store.load(entry.device.key, entry_key(entry))->complete) << name;
    }
}

TEST(Store, PruneKeepsWhatCannotBePutBack) {
    const Scratch scratch;
    const Store store(scratch / "db");
    const Entry moved = random_entry(1);
    store.save(moved);
    const fs::path own = store.path() / file_of(moved), wrong = store.path() / "renamed-by-hand";
    fs::rename(own.parent_path(), wrong);
    put(own.parent_path(), "a file where its folder belongs");
    EXPECT_THROW(store.prune(30, false), Error);
    EXPECT_TRUE(fs::exists(wrong / own.filename())) << "the only copy";
}

}  // namespace
}  // namespace sptune::db
