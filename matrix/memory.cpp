#include "matrix/memory.hpp"

#include "matrix/error.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>

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
    const char *limit, *usage, *droppable;
};
constexpr Names kNames[] = {
    {"memory.max", "memory.current", "inactive_file"},
    {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"}};

std::uint64_t left_in(const std::filesystem::path& folder) {
    for (const Names& names : kNames) {
        const auto limit = number_in(folder / names.limit);
        if (!limit || *limit >= kNoLimit) continue;  // the rest takes time to read
        const auto used = number_in(folder / names.usage);
        if (!used) continue;
        const std::uint64_t droppable = number_named(folder / "memory.stat", names.droppable);
        const std::uint64_t held = *used - std::min(*used, droppable);
        return *limit - std::min(*limit, held);
    }
    return kUnlimited;
}

/// Of this process, by "hierarchy:controllers:path" lines.
std::uint64_t own_control_groups() {
    std::ifstream groups("/proc/self/cgroup");
    std::uint64_t left = kUnlimited;
    for (std::string line; std::getline(groups, line);) {
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const std::string group = line.substr(second + 1);
        if (controllers.empty())
            left = std::min(left, control_group_memory("/sys/fs/cgroup", group));
        else if (controllers.find("memory") != std::string::npos)
            left = std::min(left, control_group_memory("/sys/fs/cgroup/memory", group));
    }
    return left;
}

}  // namespace

std::uint64_t control_group_memory(const std::filesystem::path& mount, const std::string& group) {
    std::uint64_t left = left_in(mount);
    std::filesystem::path folder = mount;
    for (const auto& part : std::filesystem::path(group).relative_path()) {
        folder /= part;
        left = std::min(left, left_in(folder));
    }
    return left;
}

std::uint64_t available_memory() {
    const std::uint64_t kib = number_named("/proc/meminfo", "MemAvailable:");
    return std::min(kib ? kib * 1024 : kUnlimited, own_control_groups());
}

void require_memory(const std::string& what, std::uint64_t bytes) {
    constexpr std::uint64_t kSmall = std::uint64_t{64} << 20;
    if (bytes > kSmall && bytes > available_memory()) throw OutOfMemory(what, bytes);
}

}  // namespace sptune
