// Apart from row_lengths.cu: programs begin with this, and a first launch loads all of its source.
#include "kernels/cuda/row_lengths.hpp"
#include "matrix/cuda/scratch.hpp"

#include <cub/device/device_reduce.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

namespace sptune::cuda {
namespace {

template <class P>
struct LengthOf {
    const P* row_ptr;
    __host__ __device__ index_t operator()(index_t i) const {
        return static_cast<index_t>(row_ptr[i + 1] - row_ptr[i]);
    }
};

}  // namespace

template <class P>
index_t longest_row(const P* row_ptr, index_t rows) {
    if (rows == 0) return 0;
    DeviceBuffer<index_t> result(1);
    const auto lengths = thrust::make_transform_iterator(thrust::counting_iterator<index_t>(0),
                                                         LengthOf<P>{row_ptr});
    with_scratch([&](void* scratch, std::size_t& bytes) {
        return cub::DeviceReduce::Max(scratch, bytes, lengths, result.data(), rows);
    });
    return result.at(0);
}

template index_t longest_row(const std::int32_t*, index_t);
template index_t longest_row(const std::int64_t*, index_t);

}  // namespace sptune::cuda
