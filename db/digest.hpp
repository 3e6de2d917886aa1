// What choosing needs of an entry: a small part, read in a small part of the time.
#pragma once

#include "db/entry.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sptune::db {

/// A candidate that is ok.
struct Measured {
    std::string id, kernel_hash;
    double median_us = 0, convert_us = 0;
    bool vendor = false;
    double device_us = 0;  ///< Candidate::device_us; 0: not known
    bool operator==(const Measured&) const = default;
};

struct Digest {
    Device device;
    Features features;
    std::string winner, baseline;   ///< ids; may be empty
    bool complete = false;          ///< of all kernels that there were
    std::string vendor_library;     ///< Provenance::vendor_library
    bool cores_busy = false;        ///< Provenance::cores_busy
    bool one_value = false;         ///< Provenance::one_value
    bool altered = false;           ///< its checksum is of something else
    std::vector<Measured> fastest;  ///< the fastest first, as many as Extent says
};

/// What a digest has of the candidates. `most`: the fastest kDigestCandidates, and whatever their
/// times the winner, the baseline, all of CSR, of which those are that need no conversion, and the
/// fastest kOfEachKernel of each other kernel. That is enough for a choice that may take any of
/// them; one with constraints needs `all`.
enum class Extent { most, all };
inline constexpr std::size_t kDigestCandidates = 48, kOfEachKernel = 2;

Digest digest_of(const Entry& entry, Extent extent = Extent::most);

/// Of one entry file, of whose candidates only what Measured has is read, in a tenth of the time.
/// Trusts what it does not read, since the seal is whole; a file without, and one that has changed
/// since sptune wrote it, is read in full. Throws
/// as read_entry() does, and where it is not the entry of this key.
Digest read_digest(const std::filesystem::path& file, const std::string& entry_key,
                   Extent extent = Extent::most);

/// The same of an entry as export_store() writes it, on one line; nullopt where it has another key.
std::optional<Digest> read_digest_of_line(std::string_view line, const std::string& entry_key,
                                          Extent extent = Extent::most);

/// Only the device of an entry file. Throws as read_entry() does.
Device read_device(const std::filesystem::path& file);

}  // namespace sptune::db
