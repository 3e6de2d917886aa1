#include "matrix/buffer.hpp"
#include "matrix/error.hpp"
#include "matrix/memory.hpp"
#include "tests/matrix/scratch_folder.hpp"

#include <fstream>
#include <limits>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

namespace sptune {
namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

/// A memory controller's folder with a group /service/one.
class ControlGroups : public ::testing::Test {
  protected:
    ControlGroups() { std::filesystem::create_directories(scratch_.file("service/one")); }
    void write(const std::string& file, const std::string& text) { scratch_.write(file, text); }
    std::uint64_t left(const std::string& group) const {
        return control_group_memory(scratch_.file(""), group);
    }
    ScratchFolder scratch_;
};

TEST_F(ControlGroups, TheTightestOfAllAboveCounts) {
    EXPECT_EQ(left("/service/one"), kUnlimited);
    write("service/one/memory.max", "max\n");
    write("service/one/memory.current", "50\n");
    EXPECT_EQ(left("/service/one"), kUnlimited);
    write("service/one/memory.max", "1000\n");
    EXPECT_EQ(left("/service/one"), 950u);
    EXPECT_EQ(left("/service"), kUnlimited);
    write("service/memory.max", "700\n");
    write("service/memory.current", "100\n");
    EXPECT_EQ(left("/service/one"), 600u);
    EXPECT_EQ(left("/of/the/host"), kUnlimited);  // seen from within a container
    write("memory.max", "40\n");
    write("memory.current", "90\n");
    EXPECT_EQ(left("/of/the/host"), 0u);
}

TEST_F(ControlGroups, CachedFilesCountAsFree) {
    write("memory.max", "1000\n");
    write("memory.current", "900\n");
    write("memory.stat", "anon 300\nfile 600\ninactive_file 550\nactive_file 50\n");
    EXPECT_EQ(left("/"), 700u);
}

TEST_F(ControlGroups, TheFirstVersionNamesThingsDifferently) {
    write("memory.limit_in_bytes", "9223372036854771712\n");
    write("memory.usage_in_bytes", "100\n");
    EXPECT_EQ(left("/"), kUnlimited);
    write("memory.limit_in_bytes", "1000\n");
    write("memory.stat", "inactive_file 1\ntotal_inactive_file 40\ntotal_active_file 2\n");
    EXPECT_EQ(left("/"), 942u);
}

TEST(Memory, WhatIsThereIsThereAndNoMore) {
    const std::uint64_t there = available_memory();
    EXPECT_GT(there, std::uint64_t{16} << 20);
    EXPECT_NO_THROW(require_memory("little", 1000));
    if (there == kUnlimited) GTEST_SKIP() << "this system does not say how much memory it has";
    try {
        require_memory("too much", 64 * there);
        FAIL();
    } catch (const OutOfMemory& e) {
        EXPECT_EQ(e.bytes, 64 * there);
    }
}

TEST(Memory, ALimitOfTheAddressSpaceCounts) {
    constexpr std::uint64_t kLeft = std::uint64_t{512} << 20;
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
    rlimit tight = before;
    tight.rlim_cur = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) + kLeft;
    if (tight.rlim_cur > before.rlim_cur) GTEST_SKIP() << "the limit is tighter yet";
    ASSERT_EQ(setrlimit(RLIMIT_AS, &tight), 0);
    const std::uint64_t there = available_memory();
    setrlimit(RLIMIT_AS, &before);
    EXPECT_LE(there, kLeft);
}

TEST(Memory, ABufferThatWouldNotFitIsRefusedBeforeItIsTouched) {
    const std::uint64_t there = available_memory();
    if (there == kUnlimited) GTEST_SKIP() << "this system does not say how much memory it has";
    // The system itself may promise so much, and kill the process that uses it.
    EXPECT_THROW(Buffer<std::byte>(there + there / 2), OutOfMemory);
}

}  // namespace
}  // namespace sptune
