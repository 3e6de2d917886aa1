#include "db/digest_cache.hpp"

#include "db/stamp.hpp"
#include "matrix/lasting.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

namespace sptune::db {

std::optional<Digest> cached_digest(const std::filesystem::path& file, const std::string& name,
                                    const std::function<std::optional<Digest>()>& read) {
    constexpr std::size_t kMost = 256;  // of some 25 kB
    struct Known {
        Stamp stamp;
        std::uint64_t used = 0;
        Digest digest;
    };
    using Key = std::pair<std::string, std::string>;
    static std::mutex mutex;
    static auto& all = lasting<std::map<Key, Known>>();
    static std::uint64_t uses = 0;

    const std::int64_t begun = now_ns();
    std::error_code unknown;
    const Stamp stamp = stamp_of(file, unknown);
    const Key key{file.native(), name};
    {
        const std::lock_guard lock(mutex);
        const auto found = all.find(key);
        if (found != all.end() && found->second.stamp == stamp) {
            found->second.used = ++uses;
            return found->second.digest;
        }
    }
    std::optional<Digest> digest = read();
    if (!digest || unknown || !stamp.is_settled(begun)) return digest;
    const std::lock_guard lock(mutex);
    all[key] = {stamp, ++uses, *digest};
    if (all.size() > kMost)
        all.erase(
            std::ranges::min_element(all, {}, [](const auto& known) { return known.second.used; }));
    return digest;
}

}  // namespace sptune::db
