// How much memory a new array may take.
#pragma once

#include <cstdint>
#include <string>

namespace sptune {

/// Bytes that can be had without swapping, as the kernel estimates it (MemAvailable); the largest
/// number there is where it does not say.
std::uint64_t available_memory();

/// Throws OutOfMemory when `bytes` are more than available: allocating succeeds on systems that
/// overcommit, and the process is killed later. Small requests pass without a look.
void require_memory(const std::string& what, std::uint64_t bytes);

}  // namespace sptune
