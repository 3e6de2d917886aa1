// The parts that the CSR kernels are compiled in. The first launch of any kernel of a part loads
// all of it, about a millisecond for each megabyte of code: a program that never needs tiles is not
// to wait for them, nor one with 32-bit row pointers for 64-bit ones, or with 16-bit columns for
// 32-bit ones.
#pragma once

#include "kernels/kernel_list.hpp"

namespace sptune::cuda {

#define SPTUNE_DECLARE(part)            \
    void part(KernelList<float>& list); \
    void part(KernelList<double>& list);
SPTUNE_DECLARE(add_csr_tiles_i32_x32)
SPTUNE_DECLARE(add_csr_tiles_i32_x16)
SPTUNE_DECLARE(add_csr_tiles_i64_x32)
SPTUNE_DECLARE(add_csr_tiles_i64_x16)
SPTUNE_DECLARE(add_csr_merge)
#undef SPTUNE_DECLARE

}  // namespace sptune::cuda
