// The parts that the SELL kernels are compiled in: the first launch of any kernel of a part loads
// all of it, about a millisecond for each megabyte of code.
#pragma once

#include "kernels/kernel_list.hpp"

namespace sptune::cuda {

#define SPTUNE_DECLARE(part)            \
    void part(KernelList<float>& list); \
    void part(KernelList<double>& list);
SPTUNE_DECLARE(add_sell_slices_x16)
SPTUNE_DECLARE(add_sell_slices_x32)
#undef SPTUNE_DECLARE

}  // namespace sptune::cuda
