#include "cli/death.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

namespace sptune::cli {

db::Status Death::verdict() const {
    if (hung_s > 0) return db::Status::timeout;
    const bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    return killed && for_lack_of_memory ? db::Status::out_of_memory : db::Status::crashed;
}

std::string Death::text() const {
    if (hung_s > 0) return fmt::format("did not come back within {:.0f} s", hung_s);
    if (!failure.empty()) return fmt::format("{} (the device was lost)", failure);
    if (WIFEXITED(status))
        return fmt::format("its process ended with exit code {}", WEXITSTATUS(status));
    const int signal = WTERMSIG(status);
    const bool killed = signal == SIGKILL;
    if (killed && for_lack_of_memory)
        return "its process was killed, most likely for lack of memory,";
    return fmt::format("its process {} signal {} (SIG{})", killed ? "was killed by" : "died of",
                       signal, sigabbrev_np(signal));
}

bool is_crash(int signal) {
    constexpr int kCrashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS, SIGKILL};
    return std::find(std::begin(kCrashes), std::end(kCrashes), signal) != std::end(kCrashes);
}

std::optional<std::uint64_t> killed_for_memory() {
    std::ifstream counters("/proc/vmstat");
    std::string name;
    for (std::uint64_t n = 0; counters >> name >> n;)
        if (name == "oom_kill") return n;
    return std::nullopt;
}

}  // namespace sptune::cli
