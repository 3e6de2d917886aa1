// Writers that are killed, and writers that compete.
#include "db/store.hpp"
#include "matrix/atomic_file.hpp"
#include "tests/db/random_entry.hpp"
#include "tests/db/scratch.hpp"

#include <chrono>
#include <csignal>
#include <random>
#include <thread>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sptune::db {
namespace {

/// The entry that all writers store, marked with who wrote it the how manieth time.
Entry marked(int writer, int turn) {
    Entry entry = random_entry(1);
    entry.provenance.compiler = std::to_string(writer);
    entry.provenance.seed = static_cast<std::uint64_t>(turn);
    entry.candidates.resize(1);
    entry.baseline = entry.winner = entry.candidates[0].id;
    entry.candidates[0].status = Status::ok;
    entry.candidates[0].time = TimeUs{1.0 + turn, 0, 1, std::vector<double>(5000, 1.0 + turn)};
    return entry;
}

/// A child process that saves `turns` times (0: until killed).
pid_t start_writer(const Store& store, int writer, int turns) {
    const pid_t child = fork();
    if (child != 0) return child;
    try {
        for (int turn = 1; turns == 0 || turn <= turns; ++turn) store.save(marked(writer, turn));
    } catch (...) {
        _exit(1);
    }
    _exit(0);
}

/// The stored entry is one that was written, whole.
void expect_whole(const Store& store) {
    for (const auto& fault : store.check().faults)
        ADD_FAILURE() << fault.file << ": " << fault.reason;
    const Entry any = marked(0, 0);
    const auto entry = store.load(any.device.key, entry_key(any));
    if (!entry) return;  // killed before the first was complete
    for (const double sample : entry->candidates.at(0).time->samples)
        ASSERT_EQ(sample, 1.0 + static_cast<double>(entry->provenance.seed));
}

TEST(Crash, AKilledWriterLeavesTheOldEntryOrTheNewOne) {
    const Scratch scratch;
    const Store store(scratch / "db");
    std::mt19937 random(1);
    for (int round = 0; round < 40; ++round) {
        const pid_t child = start_writer(store, round, 0);
        ASSERT_GT(child, 0);
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 40'000));
        kill(child, SIGKILL);
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFSIGNALED(status)) << "the writer failed by itself";
        expect_whole(store);
    }
    ASSERT_EQ(store.list().size(), 1u);
    // What the killed ones left over goes, once it is old.
    const auto device = store.path() / marked(0, 0).device.key;
    for (const auto& file : std::filesystem::directory_iterator(device))
        if (AtomicFile::is_temporary(file.path()))
            std::filesystem::last_write_time(
                file.path(), std::filesystem::file_time_type::clock::now() - std::chrono::hours(2));
    store.prune(36500, false);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(device), {}), 1);
}

TEST(Crash, CompetingWritersNeverMix) {
    const Scratch scratch;
    const Store store(scratch / "db");
    const pid_t writers[] = {start_writer(store, 1, 60), start_writer(store, 2, 60)};
    for (int look = 0; look < 60; ++look) expect_whole(store);
    for (const pid_t writer : writers) {
        int status = 0;
        ASSERT_EQ(waitpid(writer, &status, 0), writer);
        EXPECT_EQ(status, 0);
    }
    expect_whole(store);
    const auto device = store.path() / marked(0, 0).device.key;
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(device), {}), 1);
}

}  // namespace
}  // namespace sptune::db
