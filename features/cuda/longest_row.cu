#include "features/cuda/features.hpp"
#include "matrix/cuda/check.hpp"
#include "matrix/cuda/device_buffer.hpp"

#include <cub/device/device_reduce.cuh>
#include <cuda/functional>
#include <thrust/iterator/counting_iterator.h>

namespace sptune {
namespace {

template <class P>
struct RowLength {
    const P* row_ptr;
    __device__ std::int64_t operator()(index_t row) const {
        return row_ptr[row + 1] - row_ptr[row];
    }
};

}  // namespace

template <class T, class P>
std::int64_t longest_row_on_device(CsrView<T, P> a) {
    if (a.rows == 0) return 0;
    DeviceBuffer<std::int64_t> longest(1);
    const auto reduce = [&](void* scratch, std::size_t& bytes) {
        SPTUNE_CUDA(cub::DeviceReduce::TransformReduce(
            scratch, bytes, thrust::counting_iterator<index_t>(0), longest.data(), a.rows,
            ::cuda::maximum<>{}, RowLength<P>{a.row_ptr}, std::int64_t{0}));
    };
    std::size_t bytes = 0;
    reduce(nullptr, bytes);
    DeviceBuffer<std::byte> scratch(bytes);
    reduce(scratch.data(), bytes);
    return longest.at(0);
}

template std::int64_t longest_row_on_device(CsrView<float, std::int32_t>);
template std::int64_t longest_row_on_device(CsrView<float, std::int64_t>);
template std::int64_t longest_row_on_device(CsrView<double, std::int32_t>);
template std::int64_t longest_row_on_device(CsrView<double, std::int64_t>);

}  // namespace sptune
