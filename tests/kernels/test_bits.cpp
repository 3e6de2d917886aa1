// Code for the GPU that needs none to be tested.
#include "kernels/cuda/sort.hpp"

#include <gtest/gtest.h>

namespace sptune::cuda {
namespace {

TEST(Bits, ThatANumberNeeds) {
    EXPECT_EQ(bits_for(0), 1);
    EXPECT_EQ(bits_for(1), 1);
    EXPECT_EQ(bits_for(255), 8);
    EXPECT_EQ(bits_for(256), 9);
    EXPECT_EQ(bits_for(~std::uint64_t{0}), 64);
}

}  // namespace
}  // namespace sptune::cuda
