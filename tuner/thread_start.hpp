// What it takes at present to start threads, which decides between one thread and all of them for
// small matrices.
#pragma once

namespace sptune::tuner {

/// How long a kernel waits for `threads` threads to start and to be done, in microseconds, as told
/// from the least of a few parallel regions that do nothing; 0 for one thread. Takes some ten
/// microseconds, more where threads are asleep or their cores busy; what is less than a tenth of a
/// second old is not measured again. Safe from several threads.
double thread_start_us(int threads);

}  // namespace sptune::tuner
