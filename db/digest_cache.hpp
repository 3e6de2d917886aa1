// Digests that this process has read lately: programs with more matrices than there are plans for
// ask for them again and again.
#pragma once

#include "db/digest.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace sptune::db {

/// What `read` says, or has said of `file` as it still is: a folder's entry or an exported file, in
/// which the digest has this name. Remembers some hundred, none that is not there. Threads may ask
/// at once; throws what `read` throws.
std::optional<Digest> cached_digest(const std::filesystem::path& file, const std::string& name,
                                    const std::function<std::optional<Digest>()>& read);

}  // namespace sptune::db
