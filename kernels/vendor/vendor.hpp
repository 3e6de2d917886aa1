// Candidates from vendors' libraries, where they could be loaded.
#pragma once

#include "kernels/kernel_list.hpp"

namespace sptune {

void add_vendor_kernels(KernelList<float>& list);
void add_vendor_kernels(KernelList<double>& list);

/// All that cuSPARSE may have: what it refuses, or that it is missing, inspecting them tells.
void add_cusparse_kernels(KernelList<float>& list);
void add_cusparse_kernels(KernelList<double>& list);
/// See vendor_start_us().
double cusparse_start_us();

}  // namespace sptune
