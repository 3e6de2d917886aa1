// Reading memory as fast as the machine can.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sptune::tuner {

/// Sum of `words` 64-bit words, with the widest vectors this CPU has. `data` is aligned to a cache
/// line and `words` a multiple of 64.
std::uint64_t stream_sum(const std::uint64_t* data, std::size_t words);

}  // namespace sptune::tuner
