#include "tuner/join.hpp"

#include "db/knowledge.hpp"
#include "kernels/spmv/one_value.hpp"
#include "tuner/decide.hpp"

#include <string>
#include <unordered_map>

namespace sptune::tuner {

void drop_changed(db::Entry& entry, const std::vector<Variant>& kernels) {
    std::unordered_map<std::string, std::string> hashes;
    for (const Variant& v : kernels) hashes.emplace(v.id(), v.kernel_hash);
    std::erase_if(entry.candidates, [&](const db::Candidate& c) {
        const auto known = hashes.find(c.id);
        return known == hashes.end() ? !c.vendor : known->second != c.kernel_hash;
    });
}

void drop_other_values(db::Entry& stored, const db::Entry& now) {
    if (db::had_one_value(stored) == db::had_one_value(now)) return;
    const std::size_t dropped = std::erase_if(stored.candidates, [&](const db::Candidate& c) {
        Variant v;
        v.op = stored.op, v.format = c.format, v.params = c.params;
        v.backend = c.backend == "cuda" ? Backend::cuda : Backend::cpu;
        return knows_one_value(v);
    });
    if (dropped > 0) stored.complete = false;
    stored.provenance.one_value = now.provenance.one_value;
}

void keep_versions(db::Entry& now, const db::Entry& before) {
    now.device.driver = before.device.driver, now.device.toolkit = before.device.toolkit;
    if (!before.provenance.vendor_library.empty())
        now.provenance.vendor_library = before.provenance.vendor_library;
    if (before.provenance.cores_busy) now.provenance.cores_busy = true;
}

db::Entry join(db::Entry now, const db::Entry& before) {
    std::unordered_map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < now.candidates.size(); ++i) places[now.candidates[i].id] = i;
    for (const db::Candidate& old : before.candidates) {
        const auto place = places.find(old.id);
        if (place == places.end())
            now.candidates.push_back(old);
        else if (db::Candidate& own = now.candidates[place->second];
                 own.status == db::Status::not_reached && own.kernel_hash == old.kernel_hash)
            own = old;
    }
    if (!before.candidates.empty()) keep_versions(now, before);
    std::vector<const db::Candidate*> winners;
    for (const std::string& id : {now.winner, before.winner})
        if (const db::Candidate* c = db::find(now, id); c && c->status == db::Status::ok)
            winners.push_back(c);
    if (!winners.empty()) crown(now, choose(winners));
    now.complete = now.complete && before.complete;
    if (before.complete && !before.provenance.variants) now.provenance.variants.reset();
    return now;
}

}  // namespace sptune::tuner
