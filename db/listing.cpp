#include "db/listing.hpp"

#include "matrix/lasting.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <mutex>

#include <sys/stat.h>

namespace sptune::db {
namespace {

namespace fs = std::filesystem;
using Kind = Listing::Kind;

/// Which folder it is, and when it was changed, in ns since 1970: programs that copy folders set
/// `modified` back, but nobody sets `changed`.
struct Stamp {
    std::uint64_t device = 0, inode = 0;
    std::int64_t modified = 0, changed = 0;
    bool operator==(const Stamp&) const = default;
};

constexpr std::int64_t kSecond = 1'000'000'000;

/// Clocks of file systems tick every 10 ms or more often, some once in two seconds.
bool is_settled(const Stamp& stamp, std::int64_t read_ns) {
    const std::int64_t latest = std::max(stamp.modified, stamp.changed);
    const bool coarse = latest % kSecond == 0;
    return read_ns - latest > (coarse ? 3 * kSecond : kSecond / 50);
}

std::int64_t ns_of(const timespec& time) {
    return time.tv_sec * kSecond + time.tv_nsec;
}

std::int64_t now_ns() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

Listing read(const fs::path& folder) {
    Listing listing{Kind::folder, {}, {}};
    std::error_code& error = listing.error;
    fs::directory_iterator it(folder, error);
    for (const fs::directory_iterator end; !error && it != end; it.increment(error)) {
        std::error_code unknown;
        const bool is_folder = it->is_directory(unknown) || unknown;
        listing.names.emplace(it->path().filename().string(), is_folder);
    }
    return listing;
}

}  // namespace

std::shared_ptr<const Listing> listing_of(const fs::path& path) {
    struct Known {
        Stamp stamp;
        std::int64_t read_ns = 0;
        std::shared_ptr<const Listing> listing;
    };
    static std::mutex mutex;
    static auto& all = lasting<std::map<std::string, Known>>();
    const std::int64_t begun = now_ns();
    struct stat s {};
    if (::stat(path.c_str(), &s) != 0) {
        const std::error_code why(errno, std::generic_category());
        const Kind kind = errno == ENOENT ? Kind::absent : Kind::other;
        return std::make_shared<Listing>(Listing{kind, {}, why});
    }
    if (S_ISREG(s.st_mode)) return std::make_shared<Listing>(Listing{Kind::file, {}, {}});
    if (!S_ISDIR(s.st_mode))
        return std::make_shared<Listing>(
            Listing{Kind::other, {}, std::make_error_code(std::errc::not_a_directory)});
    const Stamp stamp{s.st_dev, s.st_ino, ns_of(s.st_mtim), ns_of(s.st_ctim)};
    {
        const std::lock_guard lock(mutex);
        const auto found = all.find(path.native());
        if (found != all.end() && found->second.stamp == stamp &&
            std::abs(begun - found->second.read_ns) < kSecond)
            return found->second.listing;
    }
    const auto listing = std::make_shared<const Listing>(read(path));
    const std::lock_guard lock(mutex);
    if (!listing->error && is_settled(stamp, begun))
        all[path.native()] = {stamp, begun, listing};
    else
        all.erase(path.native());
    return listing;
}

}  // namespace sptune::db
