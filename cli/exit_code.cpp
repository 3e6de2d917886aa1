#include "cli/exit_code.hpp"

#include "matrix/error.hpp"

namespace sptune::cli {

ExitCode exit_code_of(const std::exception& failure) {
    if (dynamic_cast<const UsageError*>(&failure)) return kUsage;
    if (dynamic_cast<const InputError*>(&failure)) return kRefused;
    if (dynamic_cast<const DeviceError*>(&failure)) return kNoDevice;
    return kFailure;
}

}  // namespace sptune::cli
