// A tuning database on disk: a directory of entries, or one exported JSON document.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "db/entry.hpp"

namespace sptune::db {

/// Told about entries that could not be used: (file, reason). Never called for a plain miss.
using Warn = std::function<void(const std::string& file, const std::string& reason)>;

/// What `sptune db list` shows of an entry.
struct Summary {
    std::string file;
    std::string device_key, key, matrix, winner;
    std::int64_t rows = 0, cols = 0, nnz = 0;
    double speedup = 0;
    bool complete = false;
};

class Store {
  public:
    /// Opens a directory (made on the first write) or an exported file (read-only).
    explicit Store(std::filesystem::path where, Warn warn = {});

    /// nullopt on a miss; a corrupt or newer entry is a warned miss.
    std::optional<Entry> load(const std::string& device_key, const std::string& entry_key) const;

    /// Temporary name, fsync, rename, fsync of the folder: a killed process leaves the old entry or
    /// the new one, never half of one. Throws Error naming the path and the reason.
    void save(const Entry& entry) const;

    void for_each(const std::function<void(const std::string& file, const Entry&)>& visit) const;
    std::vector<Summary> list() const;

    /// Files that are unreadable or invalid, each with its reason; empty when all is well.
    struct Fault {
        std::string file, reason;
    };
    std::vector<Fault> check() const;

    /// Removes left-over temporary files, unreadable entries and incomplete ones older than
    /// `days`; returns what it removed. With dry_run it removes nothing.
    std::vector<std::string> prune(int days, bool dry_run) const;

    const std::filesystem::path& path() const { return where_; }
    bool read_only() const;

  private:
    std::filesystem::path where_;
    Warn warn_;
};

/// Copies entries of `from` into `to`. Where both have one: complete beats incomplete, then the
/// newer one stays. Returns how many were written.
int merge(const Store& from, const Store& to);

enum class ExportFormat { json, csv };
std::string export_store(const Store& store, ExportFormat format);

/// $SPTUNE_DB, else $XDG_DATA_HOME/sptune/db, else ~/.local/share/sptune/db.
std::filesystem::path default_path();

}  // namespace sptune::db
