#include "matrix/memory.hpp"

#include "matrix/error.hpp"
#include "matrix/lasting.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

namespace sptune {
namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

/// The number in a file; nothing where there is none, as in "max".
std::optional<std::uint64_t> number_in(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::uint64_t n = 0;
    if (in >> n) return n;
    return std::nullopt;
}

/// The number behind `name` in a file of "name number" lines; 0 where there is none.
std::uint64_t number_named(const std::filesystem::path& file, std::string_view name) {
    std::ifstream in(file);
    std::string key, rest;
    while (in >> key) {
        std::uint64_t n = 0;
        if (key == name && in >> n) return n;
        std::getline(in, rest);
    }
    return 0;
}

/// v1 says so much where there is no limit.
constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 60;

/// How the two versions of control groups name things.
struct Names {
    const char *limit, *usage, *idle_files, *used_files;
};
constexpr Names kNames[] = {
    {"memory.max", "memory.current", "inactive_file", "active_file"},
    {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file", "total_active_file"}};

std::uint64_t left_in(const std::filesystem::path& folder) {
    for (const Names& names : kNames) {
        const auto limit = number_in(folder / names.limit);
        if (!limit || *limit >= kNoLimit) continue;  // the rest takes time to read
        const auto used = number_in(folder / names.usage);
        if (!used) continue;
        // Both are dropped before a process is killed, and MemAvailable counts both.
        const std::uint64_t droppable = number_named(folder / "memory.stat", names.idle_files) +
                                        number_named(folder / "memory.stat", names.used_files);
        const std::uint64_t held = *used - std::min(*used, droppable);
        return *limit - std::min(*limit, held);
    }
    return kUnlimited;
}

/// Calls visit(folder) for the group and all above it.
template <class Visit>
void for_groups(const std::filesystem::path& mount, const std::string& group, Visit visit) {
    std::filesystem::path folder = mount;
    visit(folder);
    for (const auto& part : std::filesystem::path(group).relative_path()) visit(folder /= part);
}

/// The folders of this process whose limit counts, by "hierarchy:controllers:path" lines.
std::vector<std::filesystem::path> limited_groups() {
    std::vector<std::filesystem::path> found;
    const auto add = [&](const std::filesystem::path& folder) {
        if (left_in(folder) != kUnlimited) found.push_back(folder);
    };
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const std::string group = line.substr(second + 1);
        if (controllers.empty())
            for_groups("/sys/fs/cgroup", group, add);
        else if (controllers.find("memory") != std::string::npos)
            for_groups("/sys/fs/cgroup/memory", group, add);
    }
    return found;
}

/// What `ulimit -v` leaves this process.
std::uint64_t address_space() {
    rlimit most{};
    if (getrlimit(RLIMIT_AS, &most) != 0 || most.rlim_cur == RLIM_INFINITY) return kUnlimited;
    const std::uint64_t pages = number_in("/proc/self/statm").value_or(0);
    const std::uint64_t used = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    return most.rlim_cur - std::min<std::uint64_t>(most.rlim_cur, used);
}

}  // namespace

std::uint64_t control_group_memory(const std::string& mount, const std::string& group) {
    std::uint64_t left = kUnlimited;
    for_groups(mount, group, [&](auto& folder) { left = std::min(left, left_in(folder)); });
    return left;
}

std::uint64_t available_memory() {
    const std::uint64_t kib = number_named("/proc/meminfo", "MemAvailable:");
    std::uint64_t left = std::min(kib ? kib * 1024 : kUnlimited, address_space());
    static const auto& limited = lasting(limited_groups);  // looking takes longer than the rest
    for (const auto& folder : limited) left = std::min(left, left_in(folder));
    return left;
}

void require_memory(const std::string& what, std::uint64_t bytes) {
    constexpr std::uint64_t kSmall = std::uint64_t{64} << 20;
    if (bytes > kSmall && bytes > available_memory()) throw OutOfMemory(what, bytes);
}

}  // namespace sptune
