// Walking every entry of a database, the unusable ones included.
#pragma once

#include "db/entry.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace sptune::db {

enum class Trouble {
    invalid,     ///< no version of sptune would use it
    newer,       ///< written by a later version
    unreadable,  ///< the system did not let us look
    foreign,     ///< not named as sptune names its entries, and left alone
    broken,      ///< nor JSON, as its name says: once an entry, perhaps; left alone as well
    altered,     ///< it is valid, and visited next, but its checksum is of something else
};

/// What is said of an entry that is altered: something may be wrong in it that no check can tell.
inline constexpr const char* kAltered =
    "has changed since sptune wrote it, as its checksum tells; `sptune profile --fresh` measures "
    "it again, and who changed it on purpose removes \"checksum\" from it";

using Visit = std::function<void(const std::string& file, const Entry& entry)>;
using Refuse =
    std::function<void(const std::string& file, const std::string& reason, Trouble trouble)>;

/// Whatever it is: also a link that leads nowhere, which reading it then tells of.
bool is_there(const std::string& file);

/// Decodes one entry file and checks that it lies where its key belongs. Throws Error with the
/// reason, without the path; it is a NewerSchema or Unreadable where that is the reason.
/// `altered` gets to know whether its seal is broken.
Entry read_entry(const std::filesystem::path& file, bool* altered = nullptr);

/// Each entry of the directory or exported document `where` goes to one of the two, an altered one
/// to both, in the order of Store::for_each(). Throws InputError when `where` itself is not a
/// database.
void scan(const std::filesystem::path& where, const Visit& visit, const Refuse& refuse);

/// Temporary files of `where` that have been there for so long that no writer can be behind them.
std::vector<std::filesystem::path> leftovers(const std::filesystem::path& where);

}  // namespace sptune::db
