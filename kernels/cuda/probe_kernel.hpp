// Does this GPU run what this build holds?
#pragma once

#include <cuda_runtime_api.h>

namespace sptune::cuda {

/// Runs an empty kernel.
cudaError_t run_probe_kernel();

}  // namespace sptune::cuda
