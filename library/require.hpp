// What callers have to keep to.
#pragma once

#include "library/failures.hpp"
#include "matrix/error.hpp"

#include <string>

#include <fmt/format.h>

namespace sptune::library {

/// Throws UsageError.
inline void require(bool holds, const char* what) {
    if (!holds) throw UsageError(what);
}
inline void require(bool holds, const std::string& what) {
    if (!holds) throw UsageError(what);
}

/// Throws UsageError for a number of CPU threads that no machine has.
inline void require_threads(int threads) {
    constexpr int kMost = 4096;  // a thread has a stack: many more end the process
    require(threads >= 0 && threads <= kMost,
            fmt::format("threads must be 0 (all) to {}, not {}", kMost, threads));
}

/// Throws UsageError for a number that is none of the backends.
inline void require_known(backend asked) {
    require(asked >= backend::automatic && asked <= backend::cuda,
            "backend: expected automatic, cpu or cuda");
}

}  // namespace sptune::library
