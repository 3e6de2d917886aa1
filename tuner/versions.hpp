// Whether what stored times depend on beside their kernels is still the same.
#pragma once

#include "db/digest.hpp"

#include <string>

namespace sptune::tuner {

/// What becomes of stored times where a driver, a toolkit or a vendor's library has changed.
enum class Validate {
    strict,  ///< they do not count
    warn,    ///< they count, and the answer says what has changed
    ignore,
};
/// Of "strict", "warn" or "ignore"; of "" what $SPTUNE_VALIDATE says, else warn. Throws UsageError.
Validate parse_validate(const std::string& word);

/// "MKL 2026.2", "cuSPARSE 12.6.3". Only where one of its kernels is in use: it loads the library.
std::string vendor_version(Backend backend);

/// "driver 12.8, here 13.0" and the like; empty where all is the same as far as both sides say.
/// `vendor_then` is looked at where `vendor_decides`: the winner is the library's.
std::string changed_since(const db::Device& then, const std::string& vendor_then,
                          bool vendor_decides, const db::Device& now);
/// The same of what is stored. `winner_here`: this build and machine have its winner.
std::string changed_since(const db::Digest& stored, bool winner_here, const db::Device& now);

}  // namespace sptune::tuner
