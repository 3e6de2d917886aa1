// What it takes a program to launch kernels, which short ones wait for.
#pragma once

namespace sptune::tuner {

/// Microseconds from one launch to the next in a loop of this process on the current GPU, if the
/// GPU has nothing else to do. Measured once for each GPU, which takes some 0.1 ms; 0 where that
/// has failed.
double host_launch_us();

}  // namespace sptune::tuner
