#include "db/listing.hpp"

#include "matrix/lasting.hpp"

#include <cstdlib>
#include <mutex>

namespace sptune::db {
namespace {

namespace fs = std::filesystem;
using Kind = Listing::Kind;

constexpr std::int64_t kMostAgeNs = 1'000'000'000;

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
    std::error_code error;
    const Stamp stamp = stamp_of(path, error);
    if (error || stamp.kind == Kind::file)
        return std::make_shared<Listing>(Listing{stamp.kind, {}, error});
    if (stamp.kind != Kind::folder)
        return std::make_shared<Listing>(
            Listing{Kind::other, {}, std::make_error_code(std::errc::not_a_directory)});
    {
        const std::lock_guard lock(mutex);
        const auto found = all.find(path.native());
        if (found != all.end() && found->second.stamp == stamp &&
            std::abs(begun - found->second.read_ns) < kMostAgeNs)
            return found->second.listing;
    }
    const auto listing = std::make_shared<const Listing>(read(path));
    const std::lock_guard lock(mutex);
    if (!listing->error && stamp.is_settled(begun))
        all[path.native()] = {stamp, begun, listing};
    else
        all.erase(path.native());
    return listing;
}

}  // namespace sptune::db
