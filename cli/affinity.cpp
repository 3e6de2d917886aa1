#include "cli/affinity.hpp"

#include <cstddef>

#include <sched.h>

namespace sptune::cli {
namespace {

cpu_set_t at_start[64];  ///< 65536 CPUs
bool known = false;

void remember(int, char**, char**) {
    known = sched_getaffinity(0, sizeof at_start, at_start) == 0;
}

// Runs before the constructors of all libraries.
[[gnu::section(".preinit_array"), gnu::used]] void (*const early)(int, char**, char**) = remember;

}  // namespace

void restore_affinity() {
    if (known) sched_setaffinity(0, sizeof at_start, at_start);
}

}  // namespace sptune::cli
