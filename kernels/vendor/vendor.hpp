// Candidates from vendors' libraries, where they could be loaded.
#pragma once

#include "kernels/kernel_list.hpp"

namespace sptune {

void add_vendor_kernels(KernelList<float>& list);
void add_vendor_kernels(KernelList<double>& list);

/// Needs a usable GPU: cuSPARSE is asked what it supports.
void add_cusparse_kernels(KernelList<float>& list);
void add_cusparse_kernels(KernelList<double>& list);

}  // namespace sptune
