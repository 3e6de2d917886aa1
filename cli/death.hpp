// How a worker ended before all was done, and what its supervisor makes of that.
#pragma once

#include "db/entry.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace sptune::cli {

struct Death {
    int status = 0;                  ///< as waitpid() has it
    double hung_s = 0;               ///< > 0: it was killed because it had hung so long
    std::string failure = {};        ///< of a device that was lost by it
    bool for_lack_of_memory = true;  ///< may be why it was killed, if it was

    /// Of the candidate at which it happened.
    db::Status verdict() const;
    /// "its process ended with exit code 1"
    std::string text() const;
};

/// Whether a process was ended by what it did: programs do not send each other these signals.
bool is_crash(int signal);

/// Processes that the system has killed for lack of memory so far; none where it does not say.
std::optional<std::uint64_t> killed_for_memory();

}  // namespace sptune::cli
