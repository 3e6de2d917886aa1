#include "cli/remains.hpp"

#include "cli/output.hpp"
#include "db/codec.hpp"
#include "tuner/decide.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace sptune::cli {
namespace {

using Json = nlohmann::ordered_json;

void settle(db::Entry& entry, const Json& line) {
    db::Candidate found = db::candidate_from_json(line["candidate"]);
    const auto own = std::find_if(entry.candidates.begin(), entry.candidates.end(),
                                  [&](const db::Candidate& c) { return c.id == found.id; });
    if (own == entry.candidates.end()) return;
    if (found.format.empty())  // of one that has ended its process not much more is known
        own->status = found.status, own->reason = found.reason;
    else
        *own = std::move(found);
    entry.provenance.sweep_s = line.value("after_s", entry.provenance.sweep_s);
}

/// Not complete; the best of what was measured is the winner.
db::Entry entry_of(const Remains& remains) {
    db::Entry entry = db::entry_from_json(remains.head["blank"]);
    for (const Json& line : remains.found) settle(entry, line);
    std::vector<const db::Candidate*> measured;
    for (const db::Candidate& c : entry.candidates)
        if (c.status == db::Status::ok) measured.push_back(&c);
    if (!measured.empty()) tuner::crown(entry, tuner::choose(measured));
    return entry;
}

void store(const Remains& remains) {
    const db::Entry entry = entry_of(remains);
    const ResultStore store({remains.head["db"], remains.head["fresh"]});
    // The kernels of a GPU that is gone cannot be listed; those of this sweep are known.
    std::string where = store
                            .save(entry,
                                  [&](db::Entry& stored) {
                                      std::erase_if(stored.candidates, [&](const db::Candidate& c) {
                                          const db::Candidate* now = db::find(entry, c.id);
                                          return now && now->kernel_hash != c.kernel_hash;
                                      });
                                  })
                            .note;
    if (where.empty()) return;
    where.pop_back();  // the end of the line
    warn(fmt::format("{}: broken off. {}", entry.matrix.name, where));
}

}  // namespace

Json head_of(const db::Entry& blank, const std::optional<ResultPlace>& place) {
    Json head{{"key", blank.device.key + "/" + db::entry_key(blank)},
              {"blank", db::to_json(blank)}};
    if (place) head["db"] = place->db, head["fresh"] = place->fresh;
    return head;
}

std::vector<Remains> remains_in(const std::vector<Json>& journal) {
    // By step and key: a step may begin on one device and, after its loss, be done on another.
    std::map<std::string, std::map<std::string, Remains>> all;
    std::map<std::string, std::string> last;  ///< key of each step
    for (const Json& line : journal) {
        const std::string step = line.value("step", "");
        if (line.contains("head")) {
            const Json& head = line["head"];
            last[step] = head["key"];
            all[step].try_emplace(last[step], Remains{step, head, {}});
        } else if (!last.contains(step)) {
            continue;
        } else if (line.contains("candidate")) {
            all[step].at(last[step]).found.push_back(line);
        } else if (line.contains("code")) {
            all[step].erase(last[step]);
            last.erase(step);
        }
    }
    std::vector<Remains> unfinished;
    for (auto& [step, by_key] : all)
        for (auto& [key, remains] : by_key)
            if (!remains.found.empty()) unfinished.push_back(std::move(remains));
    return unfinished;
}

void store(const std::vector<Remains>& all) {
    for (const Remains& remains : all) {
        if (!remains.head.contains("db")) continue;
        try {
            store(remains);
        } catch (const std::exception& failure) {
            warn(fmt::format("what was measured is not stored: {}", failure.what()));
        }
    }
}

}  // namespace sptune::cli
