// Where the results of sweeps are stored, beside what earlier runs have measured.
#pragma once

#include "db/store.hpp"

#include <functional>
#include <string>

namespace sptune::cli {

/// Part of SweepRequest, and as long-lived as a process needs it.
struct ResultPlace {
    std::string db;      ///< as --db says; empty: the user's own
    bool fresh = false;  ///< what was measured anew replaces what was stored
};

class ResultStore {
  public:
    /// Throws Error where nothing could be written.
    explicit ResultStore(const ResultPlace& place);

    const db::Store& db() const { return store_; }

    struct Saved {
        std::string note;     ///< a line for the report: where, or why not; may be empty
        bool failed = false;  ///< could not be written; was warned of
        bool stored = false;
    };
    /// Stores the entry, with what the database knows beyond it, unless the database knows all of
    /// it, or it has no kernel that ran. `drop_changed` takes out of what was stored the times of
    /// kernels that are others by now.
    using DropChanged = std::function<void(db::Entry& stored)>;
    Saved save(const db::Entry& entry, const DropChanged& drop_changed) const;

  private:
    struct Done {
        bool stored;
        const char* words;  ///< which go before the path
    };
    Done store(const db::Entry& entry, const DropChanged& drop_changed) const;

    db::Store store_;
    bool fresh_;
};

}  // namespace sptune::cli
