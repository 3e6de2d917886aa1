#include "tuner/cuda/sweep_product.hpp"

#include "kernels/cuda_probe.hpp"
#include "kernels/spgemm/registry.hpp"
#include "matrix/cuda/device_csr.hpp"
#include "matrix/memory.hpp"
#include "tuner/cuda/sweep.hpp"
#include "tuner/multiply_with.hpp"
#include "tuner/product_contenders.hpp"

#include <algorithm>

namespace sptune::tuner {
namespace {

template <class T>
void copy_out(Buffer<T>& to, const T* from, std::size_t size) {
    to = Buffer<T>(size);
    if (size) SPTUNE_CUDA(cudaMemcpy(to.data(), from, to.bytes(), cudaMemcpyDeviceToHost));
}

template <class T, class P>
Csr<T, P> to_host(const Product<T, P>& product) {
    const CsrView<T, P> c = product.view();
    Csr<T, P> host{c.rows, c.cols, {}, {}, {}};
    if (c.rows == 0) {
        host.row_ptr = Buffer<P>(1, P{0});
        return host;
    }
    copy_out(host.row_ptr, c.row_ptr, static_cast<std::size_t>(c.rows) + 1);
    // What a wrong kernel says of its size must not be believed.
    const auto entries = static_cast<std::size_t>(std::max<P>(host.nnz(), 0));
    require_memory("the copy of C in the host's memory", entries * (sizeof(T) + sizeof(index_t)));
    copy_out(host.col_idx, c.col_idx, entries);
    copy_out(host.values, c.values, entries);
    return host;
}

}  // namespace

template <class T, class P>
SweepResult sweep_spgemm_cuda(CsrView<T, P> a, CsrView<T, P> b, const Features& features,
                              const ProductFeatures& product, const std::string& baseline,
                              const SweepOptions& wanted) {
    require_cuda();
    const db::Device& device = cuda_device();
    const ProductCheck check(a, b, product);
    const DeviceCsr<T, P> device_a(a), device_b(b);
    const SpgemmProblem<T, P> problem{device_a.view(), device_b.view(), product.products,
                                      product.longest_row, product.upper_entries};
    SweepOptions options = wanted;
    if (options.limits.storage_bytes == Limits{}.storage_bytes)
        options.limits.storage_bytes = device_available_memory() / 10 * 9;
    return sweep_product_contenders(problem, features, product, check,
                                    spgemm_kernels<T, P>(Backend::cuda), baseline, device, 1,
                                    options, [](const Product<T, P>& c) { return to_host(c); });
}

template <class T, class P>
Multiplied<T, P> multiply_cuda(CsrView<T, P> a, CsrView<T, P> b, const ProductFeatures& product,
                               const std::string& id, const SpgemmOptions& wanted) {
    require_cuda();
    const DeviceCsr<T, P> device_a(a), device_b(b);
    const SpgemmProblem<T, P> problem{device_a.view(), device_b.view(), product.products,
                                      product.longest_row, product.upper_entries};
    SpgemmOptions options = wanted;
    options.memory_bytes = std::min(options.memory_bytes, device_available_memory() / 10 * 9);
    return multiply_with(problem, Backend::cuda, id, options, 1,
                         [](std::unique_ptr<Product<T, P>> c) { return to_host(*c); });
}

#define SPTUNE_INSTANTIATE(T, P)                                                                  \
    template SweepResult sweep_spgemm_cuda(CsrView<T, P>, CsrView<T, P>, const Features&,         \
                                           const ProductFeatures&, const std::string&,            \
                                           const SweepOptions&);                                  \
    template Multiplied<T, P> multiply_cuda(CsrView<T, P>, CsrView<T, P>, const ProductFeatures&, \
                                            const std::string&, const SpgemmOptions&);
SPTUNE_INSTANTIATE(float, std::int32_t)
SPTUNE_INSTANTIATE(float, std::int64_t)
SPTUNE_INSTANTIATE(double, std::int32_t)
SPTUNE_INSTANTIATE(double, std::int64_t)
#undef SPTUNE_INSTANTIATE

}  // namespace sptune::tuner
