// Products of block matrices on the command line.
#pragma once

#include "cli/spgemm_request.hpp"

namespace sptune::cli {

/// Whether the request is for a product in blocks: --blocks, u32, or a .bsm file among the factors
/// while nothing asks for a kernel of CSR. Throws UsageError where something does, and the file's
/// values are u32, whose sums such a kernel would not hold.
bool wants_blocks(const SpgemmRequest& request);

/// Multiplies in blocks and reports. Throws UsageError for options that have no meaning there.
int multiply_in_blocks(const SpgemmRequest& request);

}  // namespace sptune::cli
