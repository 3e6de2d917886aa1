// What memory was for, where it could not be had.
#pragma once

#include "matrix/error.hpp"

#include <string>

namespace sptune {

/// What make() returns. An OutOfMemory that it throws is said to be about `what`.
template <class Make>
auto with_memory_for(const std::string& what, Make make) {
    try {
        return make();
    } catch (const OutOfMemory& failure) {
        throw OutOfMemory(what, failure.bytes);
    }
}

}  // namespace sptune
