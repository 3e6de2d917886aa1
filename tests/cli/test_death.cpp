#include "cli/death.hpp"

#include <gtest/gtest.h>
#include <signal.h>

namespace sptune::cli {
namespace {

TEST(Death, WhoWasKilledLackedMemoryOnlyWhereThatMayBe) {
    const Death by_the_system{.status = SIGKILL, .for_lack_of_memory = true};
    EXPECT_EQ(by_the_system.verdict(), db::Status::out_of_memory);
    EXPECT_EQ(by_the_system.text(), "its process was killed, most likely for lack of memory,");
    const Death by_somebody{.status = SIGKILL, .for_lack_of_memory = false};
    EXPECT_EQ(by_somebody.verdict(), db::Status::crashed);
    EXPECT_EQ(by_somebody.text(), "its process was killed by signal 9 (SIGKILL)");
}

TEST(Death, OtherCausesComeFirst) {
    const Death hung{.status = SIGKILL, .hung_s = 61};
    EXPECT_EQ(hung.verdict(), db::Status::timeout);
    EXPECT_EQ(hung.text(), "did not come back within 61 s");
    const Death crashed{.status = SIGSEGV};
    EXPECT_EQ(crashed.verdict(), db::Status::crashed);
    EXPECT_EQ(crashed.text(), "its process died of signal 11 (SIGSEGV)");
    EXPECT_EQ((Death{.status = 3 << 8}.text()), "its process ended with exit code 3");
}

}  // namespace
}  // namespace sptune::cli
