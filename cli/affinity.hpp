// The CPUs that this process was allowed to use when it was started.
#pragma once

namespace sptune::cli {

/// With OMP_PROC_BIND and the like OpenMP's library binds the thread that loads it to a single CPU,
/// before main(). A process started from there would find no other one; this undoes it.
void restore_affinity();

}  // namespace sptune::cli
