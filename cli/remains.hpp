// What a sweep that came to no end has left in the journal (cli/recorder.hpp). It can be stored
// without the matrix and without the device, either of which may be what the sweep has failed for.
#pragma once

#include "cli/result_store.hpp"
#include "db/entry.hpp"

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace sptune::cli {

/// What the journal has to hold of a sweep that begins: `blank` is its entry, all candidates
/// not_reached, `place` where its result is to be stored, if anywhere.
nlohmann::ordered_json head_of(const db::Entry& blank, const std::optional<ResultPlace>& place);

struct Remains {
    std::string step;                           ///< of the command, as Worker names them
    nlohmann::ordered_json head;                ///< as head_of() has made it
    std::vector<nlohmann::ordered_json> found;  ///< lines of the journal with a candidate; some
};

/// Of all sweeps that have measured something and whose steps were not finished since.
std::vector<Remains> remains_in(const std::vector<nlohmann::ordered_json>& journal);

/// Stores them where they belong, and says so on stderr.
void store(const std::vector<Remains>& remains);

}  // namespace sptune::cli
