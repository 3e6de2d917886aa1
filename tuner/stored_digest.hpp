// Looking for what a database knows of a matrix or of a product.
#pragma once

#include "db/databases.hpp"
#include "kernels/variant.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace sptune::tuner {

/// Makes ids those of the same kernels for another width of the row pointer, their last word.
inline void rename(db::Digest& digest, IndexType index) {
    const auto name = [&](std::string& id) {
        if (const std::size_t dot = id.rfind('.'); dot != std::string::npos)
            id.replace(dot + 1, std::string::npos, to_string(index));
    };
    name(digest.winner);
    name(digest.baseline);
    for (db::Measured& c : digest.fastest) name(c.id);
}

/// What two look-ups in one database have missed.
inline void add(db::Missed& all, db::Missed&& more) {
    for (std::string& other : more.others)
        if (std::find(all.others.begin(), all.others.end(), other) == all.others.end())
            all.others.push_back(std::move(other));
    if (more.trouble.empty() || more.trouble == all.trouble) return;
    all.trouble += (all.trouble.empty() ? "" : "; ") + more.trouble;
}

/// The measurement with this fingerprint on a device, for row pointers of type P. `missed` says
/// more where there is none; `seen`: see Store::digest().
template <class P>
std::optional<db::Digest> stored_digest(const db::Store& store, Op op, ValueType value,
                                        const std::string& device_key, std::uint64_t fingerprint,
                                        db::Missed* missed = nullptr,
                                        db::Extent extent = db::Extent::most,
                                        const db::Glance& seen = nullptr) {
    const auto of = [&](IndexType index, db::Missed* why) {
        return store.digest(device_key, db::entry_key(op, value, index, fingerprint, "warm"), why,
                            extent, seen);
    };
    auto digest = of(index_type_of<P>(), missed);
    // A profile has narrow row pointers where they suffice. They decide nothing but their own
    // width, and nearly all layouts have none.
    if (!digest && index_type_of<P>() == IndexType::i64) {
        db::Missed narrow;
        digest = of(IndexType::i32, missed ? &narrow : nullptr);
        if (digest) rename(*digest, IndexType::i64);
        if (missed) add(*missed, std::move(narrow));
    }
    return digest;
}

}  // namespace sptune::tuner
