#include "cli/patience.hpp"

#include "matrix/error.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

namespace sptune::cli {
namespace {

// How long a candidate may take for one phase: so long ...
constexpr double kPatienceS = 60;     ///< unless $SPTUNE_CANDIDATE_TIMEOUT says otherwise
constexpr double kTurns = 200;        ///< and so many times the baseline's whole turn,
constexpr double kMostTurnsS = 1200;  ///< but no more than that: it may have waited for a core
constexpr double kLeastTurns = 3;     ///< (or than so many turns, where those are more);
constexpr double kFirstTurnS = 3600;  ///< for the baseline itself, whose time nobody knows yet
// A kernel that hangs on a GPU can keep its process from dying, however it is killed.
constexpr double kDyingS = 20;    ///< until a killed worker is left behind; its patience, if less
constexpr double kClosingS = 60;  ///< for a worker that is to measure nothing more
// Who asks for an end gets it soon, whatever the worker is at.
constexpr double kStoppingS = 15;

}  // namespace

Patience::Patience() : given_s_(kPatienceS) {
    const char* const variable = std::getenv("SPTUNE_CANDIDATE_TIMEOUT");
    const std::string_view text = variable ? variable : "";
    if (text.empty()) return;
    const auto [end, error] = std::from_chars(text.begin(), text.end(), given_s_);
    if (error != std::errc() || end != text.end() || !(given_s_ > 0))
        throw UsageError(fmt::format(
            "SPTUNE_CANDIDATE_TIMEOUT: expected seconds, more than 0, not \"{}\"", text));
}

double Patience::limit_s(const Flight& flight, bool asked) const {
    if (flight.closing || (flight.wind_up && !asked)) return kClosingS;
    if (!asked) return allowed_s(flight);
    return flight.busy ? std::min(allowed_s(flight), kStoppingS) : kStoppingS;
}

double Patience::allowed_s(const Flight& flight) const {
    if (flight.closing) return kClosingS;
    const double first_s = flight.first_turn_s;
    if (first_s <= 0) return std::max(given_s_, kFirstTurnS);
    return given_s_ + std::min(kTurns * first_s, std::max(kMostTurnsS, kLeastTurns * first_s));
}

double Patience::dying_s() const {
    return std::min(given_s_, kDyingS);
}

}  // namespace sptune::cli
