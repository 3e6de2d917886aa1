// Arrays that loops in vectors need not end apart: filled up to whole ones.
#pragma once

#include <cstddef>

namespace sptune::models {

/// Numbers of 32 bits: a multiple of what a vector of any instruction set holds.
inline constexpr std::size_t kTogether = 16;

constexpr std::size_t filled_up(std::size_t count) {
    return (count + kTogether - 1) / kTogether * kTogether;
}

}  // namespace sptune::models
