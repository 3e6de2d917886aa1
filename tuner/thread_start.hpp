// What it takes at present to start threads, which decides between one thread and all of them for
// small matrices.
#pragma once

namespace sptune::tuner {

/// How long a kernel waits for `threads` threads to start and to be done, in microseconds, as told
/// from the least of a few parallel regions that do nothing, at most 50. 0, which is: not known,
/// for one thread and where OpenMP does not start so many, as within another parallel region. Takes
/// some ten microseconds, more where threads are asleep, have to be made, or their cores are busy;
/// what is less than a tenth of a second old is not measured again. Safe from several threads.
double thread_start_us(int threads);

}  // namespace sptune::tuner
