#include "db/listing.hpp"
#include "tests/db/scratch.hpp"

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

namespace sptune::db {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class ListingTest : public testing::Test {
  protected:
    ListingTest() {
        fs::create_directories(folder_ / "inner");
        write("one");
    }
    void write(const std::string& name) { put(folder_ / name, "x"); }
    /// Until changes can be told from what there is now.
    void settle() {
        std::this_thread::sleep_for(50ms);
        listing_of(folder_);
    }

    Scratch scratch_;
    const fs::path folder_ = scratch_ / "folder";
};

TEST_F(ListingTest, TellsFilesFromFolders) {
    const auto all = listing_of(folder_);
    EXPECT_EQ(all->kind, Listing::Kind::folder);
    EXPECT_FALSE(all->error);
    EXPECT_TRUE(all->names.contains("one") && all->names.contains("inner"));
    EXPECT_TRUE(all->has_folder("inner"));
    EXPECT_FALSE(all->has_folder("one"));
    EXPECT_FALSE(all->names.contains("on") || all->names.contains(""));
    EXPECT_EQ(listing_of(folder_ / "one")->kind, Listing::Kind::file);
    EXPECT_EQ(listing_of(folder_ / "two")->kind, Listing::Kind::absent);
    const auto beyond = listing_of(folder_ / "one" / "two");
    EXPECT_EQ(beyond->kind, Listing::Kind::other);
    EXPECT_TRUE(beyond->error);
}

TEST_F(ListingTest, IsRememberedUntilTheFolderChanges) {
    settle();
    const auto before = listing_of(folder_);
    EXPECT_EQ(listing_of(folder_), before)
        << "read again, or time stamps here are of whole seconds";
    write("two");
    const auto after = listing_of(folder_);
    EXPECT_NE(after, before);
    EXPECT_TRUE(after->names.contains("two"));
    EXPECT_FALSE(before->names.contains("two"));
    settle();
    fs::remove(folder_ / "one");
    EXPECT_FALSE(listing_of(folder_)->names.contains("one"));
    settle();
    fs::rename(folder_ / "two", folder_ / "three");
    EXPECT_TRUE(listing_of(folder_)->names.contains("three"));
}

TEST_F(ListingTest, AnotherFolderOfThatNameIsAnother) {
    settle();
    ASSERT_TRUE(listing_of(folder_)->names.contains("one"));
    const auto stamp = fs::last_write_time(folder_);
    fs::rename(folder_, scratch_ / "aside");
    EXPECT_EQ(listing_of(folder_)->kind, Listing::Kind::absent);
    fs::create_directory(folder_);
    fs::last_write_time(folder_, stamp);
    EXPECT_FALSE(listing_of(folder_)->names.contains("one"));
}

TEST_F(ListingTest, TimesThatAreSetBackHideNothing) {
    settle();
    const auto stamp = fs::last_write_time(folder_);
    write("two");
    fs::last_write_time(folder_, stamp);
    EXPECT_TRUE(listing_of(folder_)->names.contains("two"));
}

TEST_F(ListingTest, IsReadAgainAfterASecond) {
    settle();
    const auto before = listing_of(folder_);
    std::this_thread::sleep_for(1100ms);
    EXPECT_NE(listing_of(folder_), before);
}

// Time stamps have not moved on between the two: clocks of file systems tick slowly.
TEST_F(ListingTest, NothingThatWasJustWrittenIsOverlooked) {
    for (int i = 0; i < 300; ++i) {
        const std::string name = "new" + std::to_string(i);
        ASSERT_FALSE(listing_of(folder_)->names.contains(name));
        write(name);
        ASSERT_TRUE(listing_of(folder_)->names.contains(name)) << i;
    }
}

TEST_F(ListingTest, AFolderThatCannotBeReadSaysSo) {
    if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
    fs::permissions(folder_, fs::perms::none);
    EXPECT_TRUE(listing_of(folder_)->error);
    fs::permissions(folder_, fs::perms::owner_all);
    EXPECT_TRUE(listing_of(folder_)->names.contains("one"));
}

}  // namespace
}  // namespace sptune::db
