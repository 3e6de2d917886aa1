// Stands in for cuda_registry.cpp and CUDA's part of spmm/ in a build without the CUDA toolkit.
#include "kernels/backends.hpp"
#include "kernels/cuda_probe.hpp"
#include "kernels/instantiate.hpp"
#include "kernels/spmm/cuda.hpp"

namespace sptune {

template <class T>
KernelList<T> cuda_kernels(IndexType) {
    require_cuda();
    throw DeviceError(cuda_status());
}

template KernelList<float> cuda_kernels(IndexType);
template KernelList<double> cuda_kernels(IndexType);

template <class P>
std::shared_ptr<const cuda::RowLengths> cuda::look_at_rows(const P*, index_t) {
    throw DeviceError(cuda_status());
}

template <class T, class P>
void cuda::multiply_many(CsrView<T, P>, T, Vectors<const T>, T, Vectors<T>, std::size_t,
                         const RowLengths*, void*) {
    throw DeviceError(cuda_status());
}

std::uint64_t cuda::bytes_of(const RowLengths&) {
    throw DeviceError(cuda_status());
}

template <class T>
std::size_t cuda::fewest_copied(const RowLengths&) {
    throw DeviceError(cuda_status());
}

template <class T, class P>
std::uint64_t cuda::copied_bytes(CsrView<T, P>, std::size_t) {
    throw DeviceError(cuda_status());
}

template <class T, class P>
void cuda::multiply_many_copied(CsrView<T, P>, T, Vectors<const T>, T, Vectors<T>, std::size_t,
                                const RowLengths&, std::size_t, void*, void*) {
    throw DeviceError(cuda_status());
}

template std::size_t cuda::fewest_copied<float>(const RowLengths&);
template std::size_t cuda::fewest_copied<double>(const RowLengths&);
template std::shared_ptr<const cuda::RowLengths> cuda::look_at_rows(const std::int32_t*, index_t);
template std::shared_ptr<const cuda::RowLengths> cuda::look_at_rows(const std::int64_t*, index_t);
#define SPTUNE_INSTANTIATE(T, P)                                                                 \
    template void cuda::multiply_many(CsrView<T, P>, T, Vectors<const T>, T, Vectors<T>,         \
                                      std::size_t, const RowLengths*, void*);                    \
    template std::uint64_t cuda::copied_bytes(CsrView<T, P>, std::size_t);                       \
    template void cuda::multiply_many_copied(CsrView<T, P>, T, Vectors<const T>, T, Vectors<T>,  \
                                             std::size_t, const RowLengths&, std::size_t, void*, \
                                             void*);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune
