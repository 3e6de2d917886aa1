// A tuning database on disk: a directory of entries, or one exported JSON document.
#pragma once

#include "db/digest.hpp"
#include "db/entry.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sptune::db {

/// Told about files with which something is wrong: (file, "ignored: REASON") of those that could
/// not be used, (file, "used, but it REASON") of entries whose checksum is of something else. Never
/// called for a plain miss. An entry of an exported document is named "FILE: entries[N]".
using Warn = std::function<void(const std::string& file, const std::string& reason)>;

/// What `sptune db list` shows of an entry.
struct Summary {
    std::string file;
    std::string device_key, key, matrix, winner;
    Op op = Op::spmv;
    ValueType value = ValueType::f64;
    IndexType index = IndexType::i32;
    std::string cache;
    int threads = 0;
    std::uint64_t fingerprint = 0;
    std::int64_t rows = 0, cols = 0, nnz = 0;
    double speedup = 0;
    bool complete = false;
    std::optional<std::string> variants;  ///< globs that the sweep was restricted to
    std::string created_utc;
    bool cores_busy = false;  ///< times may be too long, and so the speed-up wrong
    bool one_value = false;   ///< Provenance::one_value
};

/// Why there was no digest.
struct Missed {
    std::vector<std::string> others;  ///< device keys under which the same entry key is stored
    bool absent = false;              ///< there is no such database
    std::string trouble;  ///< what was warned of: "FILE: REASON"; empty for a plain miss
};

struct Listing;
/// What lay at a place at some moment.
using Glance = std::shared_ptr<const Listing>;

class Store {
  public:
    /// Opens a directory (made on the first write) or an exported file (read-only).
    explicit Store(std::filesystem::path where, Warn warn = {});

    /// nullopt on a miss; a corrupt or newer entry is a warned miss, never a failure.
    std::optional<Entry> load(const std::string& device_key, const std::string& entry_key) const;

    /// At this moment. For digest(), which then need not glance itself: so this much of it can go
    /// on while somebody waits for the key.
    Glance glance() const;

    /// What choosing needs of an entry; misses as load() does, and says more where `missed` is
    /// given. Goes by `seen`, if it is given, for what kind of thing the database is and which
    /// devices it knows; looks for the entry itself now.
    std::optional<Digest> digest(const std::string& device_key, const std::string& entry_key,
                                 Missed* missed = nullptr, Extent extent = Extent::most,
                                 Glance seen = nullptr) const;

    /// Whether there may be entries for a device; false spares the caller the fingerprint. An
    /// exported document is read whole for that, once in a process; one that cannot be read may
    /// have some, so that somebody asks on and is told.
    bool may_know(const std::string& device_key) const;

    /// Whether there are surely no entries at all, of any device.
    bool is_empty() const;

    /// The device as any of its entries describes it: with its measured bandwidths. Not of an
    /// exported document.
    std::optional<Device> device(const std::string& device_key) const;

    /// Temporary name, fsync, rename, fsync of the folder: a killed process leaves the old entry or
    /// the new one, never half of one. Throws Error naming the path and the reason, also when the
    /// entry is not valid; NewerSchema rather than replace what a later version has stored.
    void save(const Entry& entry) const;

    /// Visits the entries sorted by file name, or in the order of the exported document. Returns
    /// how many were unusable; each is warned of, as are files that are not sptune's. Nothing there
    /// at all is an empty database. Throws InputError when the database itself cannot be read or is
    /// something else.
    int for_each(const std::function<void(const std::string& file, const Entry&)>& visit) const;
    std::vector<Summary> list() const;

    /// Reads every entry. Faults are entries that are unreadable, invalid, altered since they were
    /// written or in the wrong place.
    struct Fault {
        std::string file, reason;
    };
    struct Check {
        int valid = 0;
        std::vector<Fault> faults;
    };
    Check check() const;

    struct Pruned {
        std::vector<std::string> removed;
        std::vector<std::pair<std::string, std::string>> moved;  ///< from, to
    };
    /// Removes invalid entries, incomplete ones older than `days` (0 to 36500) and temporary files
    /// left over by killed processes. Entries in the wrong place are moved to the right one, or
    /// removed where that is taken. With dry_run it only says what it would do. Entries of a later
    /// version stay, as does what could not be read or is not sptune's.
    Pruned prune(int days, bool dry_run) const;

    const std::filesystem::path& path() const { return where_; }
    /// An exported file.
    bool read_only() const;
    /// Throws Error naming the remedy when it is read-only, or its folder cannot be made or
    /// written.
    void require_writable() const;

  private:
    std::filesystem::path entry_path(const std::string& device_key,
                                     const std::string& entry_key) const;
    void warn(const std::string& file, const std::string& reason, Missed* missed = nullptr) const;
    void warn_of_altered(const std::string& file) const;

    std::filesystem::path where_;
    Warn warn_;
};

struct MergeCount {
    int taken = 0;     ///< the target had none for this matrix and device
    int replaced = 0;  ///< the target's own was not as good
    int kept = 0;      ///< the target's own was at least as good
    int refused = 0;   ///< unusable in the source, or the target's is of a later version
};

/// Copies entries of `from` into `to`. Where both have one, that of the sweep which got to more
/// kernels stays, then a complete one, then the newer one.
MergeCount merge(const Store& from, const Store& to);

enum class ExportFormat { json, csv, t4, header };

/// The whole database as one text, entries in the order of for_each(). json: schema
/// "sptune.export/1", which Store opens again. csv: a row for each candidate. t4: see db/t4.hpp,
/// whose metadata is a text of its own. header: see db/winners_header.hpp.
std::string export_store(const Store& store, ExportFormat format);

/// $SPTUNE_DB, else $XDG_DATA_HOME/sptune/db, else $HOME/.local/share/sptune/db. As the XDG
/// specification asks, empty variables and relative XDG folders count as unset. Throws Error when
/// nothing is set.
std::filesystem::path default_path();

}  // namespace sptune::db
