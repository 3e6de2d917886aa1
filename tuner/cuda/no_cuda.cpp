// Stands in for the rest of this folder in a build without the CUDA toolkit.
#include "kernels/cuda_probe.hpp"
#include "matrix/error.hpp"
#include "tuner/cuda/calls.hpp"
#include "tuner/cuda/host_launch.hpp"
#include "tuner/cuda/multiply.hpp"
#include "tuner/cuda/multiply_blocks.hpp"
#include "tuner/cuda/select.hpp"
#include "tuner/cuda/sweep.hpp"
#include "tuner/cuda/sweep_product.hpp"

namespace sptune::tuner {

db::Device identify_cuda() {
    require_cuda();
    throw DeviceError(cuda_status());
}

double peak_bandwidth_gbs() {
    throw DeviceError(cuda_status());
}

double host_launch_us() {
    throw DeviceError(cuda_status());
}

const db::Device& cuda_device() {
    require_cuda();
    throw DeviceError(cuda_status());
}

std::unique_ptr<StreamTimer> make_stream_timer() {
    throw DeviceError(cuda_status());
}
std::unique_ptr<StreamOrder> make_stream_order() {
    throw DeviceError(cuda_status());
}
std::unique_ptr<CallMemory> make_call_memory() {
    throw DeviceError(cuda_status());
}
bool is_capturing(void*) {
    return false;
}
void wait_for_stream(void*) {}
void call_on_scratch(std::size_t, std::size_t, const std::function<void(const void*, void*)>&) {}
void wait_for_device() {}
bool is_device_idle() noexcept {
    return true;
}
bool is_device_pointer(const void*) {
    return false;
}
bool is_elsewhere(const void*) {
    return false;
}
int current_device() noexcept {
    return -1;
}
int go_to_device(int) noexcept {
    return -1;
}
void read_from_device(void*, const void*, std::size_t) {
    throw DeviceError(cuda_status());
}

template <class T, class P>
SweepResult sweep_spmv_cuda(CsrView<T, P>, const Features&, const SweepOptions&) {
    require_cuda();
    throw DeviceError(cuda_status());
}

template <class T, class P>
SweepResult sweep_spgemm_cuda(CsrView<T, P>, CsrView<T, P>, const Features&, const ProductFeatures&,
                              const std::string&, const SweepOptions&) {
    require_cuda();
    throw DeviceError(cuda_status());
}

template <class T, class P>
Chooser<T, P> choose_on_device(CsrView<T, P>) {
    require_cuda();
    throw DeviceError(cuda_status());
}

std::uint64_t usable_device_memory() {
    require_cuda();
    throw DeviceError(cuda_status());
}

template <class T, class P>
Multiplied<T, P> multiply_cuda(CsrView<T, P>, CsrView<T, P>, const ProductFeatures&,
                               const std::string&, const SpgemmOptions&) {
    require_cuda();
    throw DeviceError(cuda_status());
}

template <class T, class P>
MultipliedInPlace<T, P> multiply_on_device(CsrView<T, P>, CsrView<T, P>, const ProductFeatures&,
                                           const std::string&, const SpgemmOptions&, void*) {
    require_cuda();
    throw DeviceError(cuda_status());
}

template <class T, class P>
ProductFeatures features_of_pair_on_device(CsrView<T, P>, CsrView<T, P>, bool, void*) {
    require_cuda();
    throw DeviceError(cuda_status());
}

template <class T, class P>
Chooser<T, P> choose_with_copy_on_device(CsrView<T, P>) {
    require_cuda();
    throw DeviceError(cuda_status());
}

template <class V>
MultipliedBlocks<V> multiply_blocks_cuda(const BlockCsr<V>&, const BlockCsr<V>&, BlockSearch) {
    require_cuda();
    throw DeviceError(cuda_status());
}
template <class V>
MultipliedBlocks<V> multiply_tiles_cuda(const BlockCsr<V>&, const BlockCsr<V>&) {
    require_cuda();
    throw DeviceError(cuda_status());
}
#define SPTUNE_INSTANTIATE(V)                                                                 \
    template MultipliedBlocks<V> multiply_blocks_cuda(const BlockCsr<V>&, const BlockCsr<V>&, \
                                                      BlockSearch);                           \
    template MultipliedBlocks<V> multiply_tiles_cuda(const BlockCsr<V>&, const BlockCsr<V>&);
SPTUNE_INSTANTIATE(float)
SPTUNE_INSTANTIATE(double)
SPTUNE_INSTANTIATE(std::uint32_t)
#undef SPTUNE_INSTANTIATE

#define SPTUNE_INSTANTIATE(T, P)                                                                  \
    template SweepResult sweep_spmv_cuda(CsrView<T, P>, const Features&, const SweepOptions&);    \
    template SweepResult sweep_spgemm_cuda(CsrView<T, P>, CsrView<T, P>, const Features&,         \
                                           const ProductFeatures&, const std::string&,            \
                                           const SweepOptions&);                                  \
    template Multiplied<T, P> multiply_cuda(CsrView<T, P>, CsrView<T, P>, const ProductFeatures&, \
                                            const std::string&, const SpgemmOptions&);            \
    template MultipliedInPlace<T, P> multiply_on_device(                                          \
        CsrView<T, P>, CsrView<T, P>, const ProductFeatures&, const std::string&,                 \
        const SpgemmOptions&, void*);                                                             \
    template ProductFeatures features_of_pair_on_device(CsrView<T, P>, CsrView<T, P>, bool,       \
                                                        void*);                                   \
    template Chooser<T, P> choose_on_device(CsrView<T, P>);                                       \
    template Chooser<T, P> choose_with_copy_on_device(CsrView<T, P>);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)
#undef SPTUNE_INSTANTIATE

}  // namespace sptune::tuner
