// What the kernels for BSR on the GPU are made for, and the parts that they are compiled in: the
// first launch of any kernel of a part loads all of it, about a millisecond for each megabyte of
// code.
#pragma once

#include "kernels/cuda/axes.hpp"
#include "kernels/kernel_list.hpp"

namespace sptune::cuda {

/// Threads of a block.
constexpr int kMaxBlock = 512;
using BsrBlocks = axis<block, 64, 128, 256, kMaxBlock>;

/// Calls add<R, C>() for the blocks of R rows and C columns.
template <class Add>
void for_each_block_size(Add add) {
    const auto with = [&]<int R, int... C> {
        (add.template operator()<R, C>(), ...);
    };
    with.template operator()<1, 2, 3, 4, 8>();
    with.template operator()<2, 1, 2, 3, 4>();
    with.template operator()<3, 1, 2, 3>();
    with.template operator()<4, 1, 2, 4>();
    with.template operator()<6, 6>();
    with.template operator()<8, 1, 8>();
}

void add_bsr_sliced(KernelList<float>& list);
void add_bsr_sliced(KernelList<double>& list);

}  // namespace sptune::cuda
