// The CUDA formats, one line each. Adding a format: its folder, its line here, its line in
// kernels/CMakeLists.txt.
#pragma once

#include "kernels/kernel_list.hpp"

#define SPTUNE_CUDA_FORMATS(X) \
    X(csr) X(sell) X(ell) X(pjds) X(hyb) X(bsr) X(dia) X(hdia) X(coo) X(csc) X(hub)

namespace sptune {

#define SPTUNE_DECLARE(format)                            \
    void add_cuda_##format##_kernels(KernelList<float>&); \
    void add_cuda_##format##_kernels(KernelList<double>&);
SPTUNE_CUDA_FORMATS(SPTUNE_DECLARE)
#undef SPTUNE_DECLARE

}  // namespace sptune
