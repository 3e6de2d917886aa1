#include "cli/result_store.hpp"

#include "cli/db_command.hpp"
#include "cli/output.hpp"
#include "db/knowledge.hpp"
#include "tuner/join.hpp"

#include <algorithm>
#include <exception>

#include <fmt/format.h>

namespace sptune::cli {
namespace {

/// Whether the kernel has run, whatever became of it.
bool was_tried(const db::Candidate& c) {
    using enum db::Status;
    return c.status != not_reached && c.status != illegal && c.status != bounded;
}

/// Of all kernels that there were.
bool is_whole(const db::Entry& entry) {
    return entry.complete && !entry.provenance.variants;
}

}  // namespace

ResultStore::ResultStore(const ResultPlace& place)
    : store_(open_db(place.db)), fresh_(place.fresh) {
    store_.require_writable();
}

ResultStore::Done ResultStore::store(const db::Entry& entry,
                                     const DropChanged& drop_changed) const {
    auto before = store_.load(entry.device.key, db::entry_key(entry));
    // --fresh replaces what it has measured anew, and all of it only when it has got to the end.
    const bool anew = fresh_ && entry.complete;
    if (anew && !entry.provenance.variants) before.reset();
    if (before) {
        drop_changed(*before);
        if (db::had_one_value(*before) != db::had_one_value(entry) && is_whole(*before) &&
            !is_whole(entry))
            return {false, "Not stored: the entry that is there is of other values, and complete:"};
        tuner::drop_other_values(*before, entry);
        const bool losing = db::knows_more(*before, entry);
        const bool gaining = db::knows_more(entry, *before);
        if (!anew && !gaining && (losing || (before->complete && !entry.complete)))
            return {false, "Not stored: the entry that is there knows more:"};
        if (!anew && !gaining && db::were_cores_busy(entry) && !db::were_cores_busy(*before))
            return {false,
                    "Not stored: the entry that is there was measured while no core was busy:"};
        if (losing) {
            store_.save(tuner::join(entry, *before));
            return {true, "Stored, with what an earlier run has measured, in"};
        }
    }
    store_.save(entry);
    return {true, "Stored in"};
}

ResultStore::Saved ResultStore::save(const db::Entry& entry,
                                     const DropChanged& drop_changed) const {
    // One that was stopped before its first call has nothing to go on from.
    if (!entry.complete && std::ranges::none_of(entry.candidates, was_tried))
        return {"Not stored: nothing was measured.\n"};
    try {
        const Done done = store(entry, drop_changed);
        const auto file = store_.path() / entry.device.key / (db::entry_key(entry) + ".json");
        return {fmt::format("{} {}\n", done.words, file.string()), false, done.stored};
    } catch (const std::exception& failure) {
        warn(fmt::format("not stored: {}", failure.what()));
        return {"", true};
    }
}

}  // namespace sptune::cli
