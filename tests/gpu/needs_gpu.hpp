// Tests of the GPU are built wherever CUDA is, and skipped where there is no GPU to run them.
#pragma once

#include "kernels/cuda_probe.hpp"

#include <gtest/gtest.h>

#define SPTUNE_NEEDS_GPU() \
    if (!::sptune::cuda_usable()) GTEST_SKIP() << ::sptune::cuda_status()
