// How much memory a new array may take.
#pragma once

#include <cstdint>
#include <string>

namespace sptune {

/// Bytes that can be had without swapping or passing the limit of a control group: the kernel's own
/// estimate (MemAvailable), or less where a container or a service may use only so much, or this
/// process (ulimit -v). The largest number there is where nothing is said.
std::uint64_t available_memory();

/// What the control group `group`, "/" or "/a/b", and those above it leave, where `mount` is the
/// folder of the memory controller: of cgroup v2 (memory.max) or v1 (memory.limit_in_bytes). Pages
/// of files that can be dropped count as free. Folders that are not there are passed over: within
/// a container the paths of the host may be named.
std::uint64_t control_group_memory(const std::string& mount, const std::string& group);

/// Throws OutOfMemory when `bytes` are more than available: allocating succeeds on systems that
/// overcommit, and the process is killed later. Small requests pass without a look.
void require_memory(const std::string& what, std::uint64_t bytes);

}  // namespace sptune
