// Measuring in a process of its own: a kernel that crashes, hangs, loses the device or takes all
// memory costs itself and nothing else.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace sptune::cli {

/// Has `work`, the command `name` with `args`, done by a worker: this program once more, started
/// before anything here has touched a device. Whenever a worker dies, another one goes on from
/// there without the candidate that it died of. Returns the exit code.
/// In a worker, and with SPTUNE_WORKER=off, it is just work().
int supervise(const std::string& name, const std::vector<std::string>& args,
              const std::function<int()>& work);

}  // namespace sptune::cli
