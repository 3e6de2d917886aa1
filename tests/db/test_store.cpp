#include "db/codec.hpp"
#include "db/document.hpp"
#include "db/store.hpp"
#include "matrix/error.hpp"
#include "tests/db/random_entry.hpp"
#include "tests/db/scratch.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

namespace sptune::db {
namespace {

namespace fs = std::filesystem;

/// A store that remembers what it warned of.
struct Warned {
    explicit Warned(const fs::path& where)
        : store(where, [this](const std::string& file, const std::string& reason) {
              warnings.push_back(file + ": " + reason);
          }) {}
    std::vector<std::string> warnings;
    Store store;
};

TEST(Key, IsReadableAndSafeAsAPath) {
    EXPECT_EQ(entry_key(Op::spmv, ValueType::f64, IndexType::i32, 0xabc, "warm"),
              "spmv-f64-i32-warm-0000000000000abc");
    EXPECT_TRUE(is_entry_key("spmv-f64-i32-warm-0000000000000abc"));
    for (std::uint64_t seed = 0; seed < 20; ++seed)
        EXPECT_TRUE(is_entry_key(entry_key(random_entry(seed))));
    for (const char* other : {"", "settings", "spmv-f64-i32-warm-abc", "spmv-f64-i32-warm",
                              "spmv-f64-i32-warm-0000000000000abc.bak"})
        EXPECT_FALSE(is_entry_key(other)) << other;
    EXPECT_EQ(path_safe("amd-epyc_9454.48t+x"), "amd-epyc_9454.48t+x");
    EXPECT_EQ(path_safe("../../etc/passwd"), "_._.._etc_passwd");
    EXPECT_EQ(path_safe(""), "_");
    EXPECT_EQ(path_safe(std::string("a\0b/σ", 6)), "a_b___");
}

TEST(Store, SavesAndLoads) {
    const Scratch scratch;
    Warned db(scratch / "new" / "db");
    const Entry entry = random_entry(1);
    EXPECT_FALSE(db.store.load(entry.device.key, entry_key(entry)));
    EXPECT_TRUE(db.store.list().empty());
    db.store.save(entry);
    EXPECT_TRUE(fs::exists(db.store.path() / file_of(entry)));
    const auto back = db.store.load(entry.device.key, entry_key(entry));
    ASSERT_TRUE(back);
    EXPECT_EQ(to_json(*back), to_json(entry));
    ASSERT_EQ(db.store.list().size(), 1u);
    EXPECT_EQ(db.store.list()[0].key, entry_key(entry));
    EXPECT_TRUE(db.store.check().faults.empty());
    EXPECT_TRUE(db.warnings.empty());
}

TEST(Store, KeepsHostileDeviceKeysInside) {
    const Scratch scratch;
    const Store store(scratch / "db");
    Entry entry = random_entry(1);
    entry.device.key = "../../outside";
    store.save(entry);
    EXPECT_FALSE(fs::exists(scratch / "outside"));
    EXPECT_TRUE(store.load("../../outside", entry_key(entry)));
    EXPECT_FALSE(store.load(path_safe("../../outside"), entry_key(entry))) << "another device";
    EXPECT_TRUE(store.check().faults.empty());
}

TEST(Store, UnusableEntriesAreWarnedMisses) {
    const Scratch scratch;
    Warned db(scratch / "db");
    const Entry entry = random_entry(1), other = random_entry(2);
    db.store.save(entry);
    const fs::path file = db.store.path() / file_of(entry);
    const std::string good = content(file);
    std::string newer = good;
    newer.replace(newer.find("entry/1"), 7, "entry/7");
    const std::string contents[] = {"",    good.substr(0, good.size() / 2),
                                    "{}",  std::string(100000, '['),
                                    newer, to_text(to_json(other))};
    for (const std::string& text : contents) {
        put(file, text);
        db.warnings.clear();
        EXPECT_FALSE(db.store.load(entry.device.key, entry_key(entry)));
        ASSERT_EQ(db.warnings.size(), 1u) << text.substr(0, 40);
        EXPECT_TRUE(db.warnings[0].starts_with(file.string() + ": ")) << db.warnings[0];
        EXPECT_EQ(db.store.check().faults.size(), 1u);
        EXPECT_EQ(db.store.for_each([](const auto&, const auto&) { FAIL(); }), 1);
    }
    fs::remove(file);
    fs::create_directory(file);
    EXPECT_FALSE(db.store.load(entry.device.key, entry_key(entry)));
}

TEST(Store, ReplacesCorruptEntriesButNotNewerOnes) {
    const Scratch scratch;
    const Store store(scratch / "db");
    const Entry entry = random_entry(1);
    put(store.path() / file_of(entry), "garbage");
    store.save(entry);
    EXPECT_TRUE(store.check().faults.empty());
    const std::string newer = "{\"schema\": \"sptune.entry/2\"}";
    put(store.path() / file_of(entry), newer);
    EXPECT_THROW(store.save(entry), NewerSchema);
    EXPECT_EQ(content(store.path() / file_of(entry)), newer);
}

TEST(Store, RefusesToWriteWhatItCouldNotRead) {
    const Scratch scratch;
    const Store store(scratch / "db");
    Entry entry = random_entry(1);
    entry.winner = "nobody";
    EXPECT_THROW(store.save(entry), Error);
    EXPECT_FALSE(fs::exists(store.path()));
}

TEST(Store, LooksOnlyAtFilesTwoLevelsDown) {
    const Scratch scratch;
    const Store store(scratch / "db");
    const Entry entry = random_entry(1);
    store.save(entry);
    const fs::path device = store.path() / entry.device.key;
    put(store.path() / "loose.json", "garbage");
    put(device / "deeper" / "x.json", "garbage");
    put(device / "notes.txt", "garbage");
    put(store.path() / ".hidden" / "x.json", "garbage");
    put(scratch / "target.json", "{}");
    fs::create_symlink(scratch / "target.json", device / "link.json");
    fs::create_directory_symlink(scratch / "db", store.path() / "loop");
    ASSERT_EQ(mkfifo((device / "fifo.json").c_str(), 0600), 0);
    EXPECT_EQ(store.list().size(), 1u);
    EXPECT_TRUE(store.check().faults.empty());
    put(device / "copy of an entry.json", "{\"schema\":");
    const auto faults = store.check().faults;
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].file, (device / "copy of an entry.json").string());
}

/// Something else under the name of an entry: never opened, since that of a pipe would block.
TEST(Store, AnEntryThatIsNoFileIsUnreadable) {
    const Scratch scratch;
    const Entry entry = random_entry(1);
    const std::function<void(const fs::path&)> makers[] = {
        [](const fs::path& file) { fs::create_directory(file); },
        [](const fs::path& file) { ASSERT_EQ(mkfifo(file.c_str(), 0600), 0); },
        [](const fs::path& file) { fs::create_symlink("nowhere", file); },
        [](const fs::path& file) { fs::create_symlink(file.filename(), file); },
    };
    for (const auto& make : makers) {
        Warned db(scratch / "db");
        const fs::path file = db.store.path() / file_of(entry);
        fs::create_directories(file.parent_path());
        make(file);
        const Store::Check result = db.store.check();
        ASSERT_EQ(result.faults.size(), 1u);
        EXPECT_EQ(result.faults[0].file, file.string());
        EXPECT_TRUE(db.store.list().empty());
        EXPECT_FALSE(db.store.load(entry.device.key, entry_key(entry)));
        EXPECT_FALSE(db.store.digest(entry.device.key, entry_key(entry)));
        EXPECT_EQ(db.warnings.size(), 3u) << result.faults[0].reason;
        EXPECT_FALSE(db.store.device(entry.device.key));
        EXPECT_TRUE(db.store.prune(0, false).removed.empty());
        fs::remove(file);
    }
}

TEST(Store, FollowsALinkToAnEntry) {
    const Scratch scratch;
    Warned db(scratch / "db");
    const Entry entry = random_entry(1);
    db.store.save(entry);
    const fs::path file = db.store.path() / file_of(entry);
    fs::rename(file, scratch / "elsewhere");
    fs::create_symlink(scratch / "elsewhere", file);
    EXPECT_TRUE(db.store.load(entry.device.key, entry_key(entry)));
    EXPECT_TRUE(db.store.digest(entry.device.key, entry_key(entry)));
    EXPECT_EQ(db.store.list().size(), 1u);
    EXPECT_EQ(db.store.check().valid, 1);
    EXPECT_NE(export_store(db.store, ExportFormat::csv).find(entry.device.key), std::string::npos);
    EXPECT_TRUE(db.warnings.empty());
}

TEST(Store, FollowsALinkToTheFolderOfADevice) {
    const Scratch scratch;
    Warned db(scratch / "db");
    const Entry entry = random_entry(1);
    db.store.save(entry);
    const fs::path folder = db.store.path() / entry.device.key;
    fs::rename(folder, scratch / "elsewhere");
    fs::create_directory_symlink(scratch / "elsewhere", folder);
    EXPECT_TRUE(db.store.load(entry.device.key, entry_key(entry)));
    EXPECT_EQ(db.store.list().size(), 1u);
    EXPECT_EQ(db.store.check().valid, 1);
    EXPECT_TRUE(db.warnings.empty());
}

TEST(Store, ListsSortedByFileName) {
    const Scratch scratch;
    const Store store(scratch / "db");
    for (std::uint64_t seed = 0; seed < 20; ++seed) store.save(random_entry(seed));
    const auto list = store.list();
    ASSERT_EQ(list.size(), 20u);
    EXPECT_TRUE(std::ranges::is_sorted(list, {}, &Summary::file));
}

TEST(Store, RefusesWhatIsNoDatabase) {
    const Scratch scratch;
    put(scratch / "matrix.mtx", "%%MatrixMarket");
    put(scratch / "newer.json", "{\"schema\": \"sptune.export/2\"}");
    put(scratch / "entries.json", "{\"schema\": \"sptune.export/1\", \"entries\": 1}");
    ASSERT_EQ(mkfifo((scratch / "fifo").c_str(), 0600), 0);
    for (const char* name : {"matrix.mtx", "newer.json", "entries.json", "fifo"}) {
        Warned db(scratch / name);
        EXPECT_THROW(db.store.list(), InputError) << name;
        EXPECT_FALSE(db.store.load("device", "key")) << name;
        EXPECT_THROW(db.store.save(random_entry(1)), Error) << name;
    }
}

TEST(Store, SaysWhyItCannotWrite) {
    const Scratch scratch;
    put(scratch / "occupied", "");
    const Store store(scratch / "occupied" / "db");
    try {
        store.save(random_entry(1));
        FAIL();
    } catch (const Error& e) {
        EXPECT_NE(std::string(e.what()).find("occupied"), std::string::npos) << e.what();
    }
}

TEST(DefaultPath, FollowsTheEnvironment) {
    const auto set = [](const char* db, const char* data, const char* home) {
        setenv("SPTUNE_DB", db, 1);
        setenv("XDG_DATA_HOME", data, 1);
        setenv("HOME", home, 1);
    };
    set("/a", "/b", "/c");
    EXPECT_EQ(default_path(), "/a");
    set("", "/b", "/c");
    EXPECT_EQ(default_path(), "/b/sptune/db");
    set("", "relative", "/c");
    EXPECT_EQ(default_path(), "/c/.local/share/sptune/db");
    set("", "", "");
    EXPECT_THROW(default_path(), Error);
}

}  // namespace
}  // namespace sptune::db
