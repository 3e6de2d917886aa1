#include "db/validate.hpp"

#include "matrix/error.hpp"

#include <algorithm>
#include <limits>
#include <unordered_set>

#include <fmt/format.h>

namespace sptune::db {
namespace {

void require(bool holds, std::string_view path, std::string_view what) {
    if (!holds) throw Error(fmt::format("{}: {}", path, what));
}

/// Whether `text` has the form that utc_time() writes.
bool is_utc_time(std::string_view text) {
    constexpr std::string_view kForm = "dddd-dd-ddTdd:dd:ddZ";
    if (text.size() != kForm.size()) return false;
    for (std::size_t i = 0; i < text.size(); ++i)
        if (kForm[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != kForm[i]) return false;
    return true;
}

void validate_candidates(const Entry& entry) {
    std::unordered_set<std::string_view> ids;
    for (std::size_t i = 0; i < entry.candidates.size(); ++i) {
        const Candidate& c = entry.candidates[i];
        const auto check = [&](bool holds, std::string_view field, std::string_view what) {
            if (!holds) throw Error(fmt::format("candidates[{}].{}: {}", i, field, what));
        };
        check(!c.id.empty(), "id", "is empty");
        check(ids.insert(c.id).second, "id", "occurs twice: " + c.id);
        check(c.status != Status::ok || c.time, "time_us", "is missing though the status is ok");
        check(!c.time || c.time->median > 0, "time_us.median", "must be greater than 0");
        check(!c.time || c.time->median >= c.time->min, "time_us.median", "is less than the least");
        if (!c.time || c.time->samples.empty()) continue;
        const auto [least, largest] = std::ranges::minmax(c.time->samples);
        check(c.time->median >= least && c.time->median <= largest, "time_us.median",
              "lies beyond its samples");
    }
}

}  // namespace

void validate(const Entry& entry) {
    const Features& f = entry.features;
    const MatrixInfo& m = entry.matrix;
    require(f.rows == m.rows && f.cols == m.cols && f.nnz == m.nnz, "features",
            "are of another size than the matrix");
    require(f.fingerprint == m.fingerprint, "features.fingerprint",
            "is another than matrix.fingerprint");
    const auto is_size = [](std::int64_t n) {
        return n >= 0 && n <= std::numeric_limits<std::int32_t>::max();
    };
    require(is_size(m.rows) && is_size(m.cols) && m.nnz >= 0, "matrix",
            "has a size that no matrix can have");
    constexpr std::size_t kLongestKey = 100;  // it becomes the name of a folder
    require(!entry.device.key.empty() && entry.device.key.size() <= kLongestKey, "device.key",
            "must have 1 to 100 characters");
    require(entry.device.backend == "cpu" || entry.device.backend == "cuda", "device.backend",
            "must be \"cpu\" or \"cuda\"");
    require(entry.cache == "warm" || entry.cache == "cold", "cache",
            "must be \"warm\" or \"cold\"");
    require(is_utc_time(entry.provenance.created_utc), "provenance.created_utc",
            "must read like 2026-01-31T12:00:00Z");

    validate_candidates(entry);
    require(entry.baseline.empty() || find(entry, entry.baseline), "baseline",
            "is not among the candidates: " + entry.baseline);
    const Candidate* winner = find(entry, entry.winner);
    require(entry.winner.empty() || winner, "winner",
            "is not among the candidates: " + entry.winner);
    require(!winner || winner->status == Status::ok, "winner", "is not ok itself");
}

}  // namespace sptune::db
