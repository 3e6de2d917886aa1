// SpGEMM candidates from vendors' libraries, where they could be loaded.
#pragma once

#include "kernels/spgemm/kernel_list.hpp"

namespace sptune {

void add_mkl_spgemm_kernels(SpgemmKernelList<float>& list);
void add_mkl_spgemm_kernels(SpgemmKernelList<double>& list);

/// Needs a usable GPU.
void add_cusparse_spgemm_kernels(SpgemmKernelList<float>& list);
void add_cusparse_spgemm_kernels(SpgemmKernelList<double>& list);

}  // namespace sptune
