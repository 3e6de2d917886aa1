#include "db/stamp.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>

#include <sys/stat.h>

namespace sptune::db {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

std::int64_t ns_of(const timespec& time) {
    return time.tv_sec * kSecond + time.tv_nsec;
}

}  // namespace

bool Stamp::is_settled(std::int64_t read_ns) const {
    const std::int64_t latest = std::max(modified, changed);
    const bool coarse = latest % kSecond == 0;
    return read_ns - latest > (coarse ? 3 * kSecond : kSecond / 50);
}

Stamp stamp_of(const std::filesystem::path& path, std::error_code& error) {
    struct stat s {};
    if (::stat(path.c_str(), &s) != 0) {
        error = {errno, std::generic_category()};
        return {errno == ENOENT ? Stamp::Kind::absent : Stamp::Kind::other, 0, 0, 0, 0, 0};
    }
    error.clear();
    const auto kind = S_ISREG(s.st_mode)   ? Stamp::Kind::file
                      : S_ISDIR(s.st_mode) ? Stamp::Kind::folder
                                           : Stamp::Kind::other;
    return {kind,
            s.st_dev,
            s.st_ino,
            static_cast<std::uint64_t>(s.st_size),
            ns_of(s.st_mtim),
            ns_of(s.st_ctim)};
}

std::int64_t now_ns() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

}  // namespace sptune::db
