// The published exit codes, and how failures map to them.
#pragma once

#include <exception>

namespace sptune::cli {

enum ExitCode : int {
    kOk = 0,
    kFailure = 1,     ///< failed while running
    kUsage = 2,       ///< the command line makes no sense
    kRefused = 3,     ///< an input was refused; the message names file and line
    kNoDevice = 4,    ///< no such device or backend here
    kUnverified = 5,  ///< a kernel computed a wrong result
    kBudget = 6,      ///< stopped by the budget; partial results are stored
    // 128 plus its number after a signal, 130 for Ctrl-C: see cli/interrupt.hpp.
};

/// Whether that is the code of a command that a signal has ended.
inline bool is_interrupted(int code) {
    return code > 128;
}

/// The code of the classes in matrix/error.hpp; kFailure for everything else.
ExitCode exit_code_of(const std::exception& failure);

}  // namespace sptune::cli
