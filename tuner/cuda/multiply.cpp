#include "tuner/cuda/multiply.hpp"

#include "features/cuda/features.hpp"
#include "features/cuda/product.hpp"
#include "kernels/cuda_probe.hpp"
#include "matrix/cuda/device_csr.hpp"
#include "tuner/cuda/product_to_host.hpp"
#include "tuner/multiply_with.hpp"

#include <algorithm>

namespace sptune::tuner {

std::uint64_t usable_device_memory() {
    return device_available_memory() / 10 * 9;
}

template <class T, class P>
MultipliedInPlace<T, P> multiply_on_device(CsrView<T, P> a, CsrView<T, P> b,
                                           const ProductFeatures& product, const std::string& id,
                                           const SpgemmOptions& wanted, void* stream) {
    const SpgemmProblem<T, P> problem{a, b, product.products, product.longest_row,
                                      product.upper_entries};
    SpgemmOptions options = wanted;
    options.memory_bytes = std::min(options.memory_bytes, usable_device_memory());
    // Conversions to blocks run in the default stream.
    if (stream) SPTUNE_CUDA(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)));
    return multiply_with(problem, Backend::cuda, id, options, {1, stream});
}

template <class T, class P>
Multiplied<T, P> multiply_cuda(CsrView<T, P> a, CsrView<T, P> b, const ProductFeatures& product,
                               const std::string& id, const SpgemmOptions& options) {
    require_cuda();
    const DeviceCsr<T, P> device_a(a), device_b(b);
    return fetched(
        multiply_on_device(device_a.view(), device_b.view(), product, id, options, nullptr),
        [](std::unique_ptr<Product<T, P>> c) { return to_host(*c); });
}

template <class T, class P>
ProductFeatures features_of_pair_on_device(CsrView<T, P> a, CsrView<T, P> b, bool fingerprints,
                                           void* stream) {
    if (stream) SPTUNE_CUDA(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)));
    const std::uint64_t first = fingerprints ? fingerprint_on_device(a) : 0;
    const bool same = !fingerprints || is_square_of_one(a, b);
    return product_features_on_device(a, b, first, same ? first : fingerprint_on_device(b));
}

#define SPTUNE_INSTANTIATE(T, P)                                                                  \
    template MultipliedInPlace<T, P> multiply_on_device(                                          \
        CsrView<T, P>, CsrView<T, P>, const ProductFeatures&, const std::string&,                 \
        const SpgemmOptions&, void*);                                                             \
    template Multiplied<T, P> multiply_cuda(CsrView<T, P>, CsrView<T, P>, const ProductFeatures&, \
                                            const std::string&, const SpgemmOptions&);            \
    template ProductFeatures features_of_pair_on_device(CsrView<T, P>, CsrView<T, P>, bool, void*);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune::tuner
