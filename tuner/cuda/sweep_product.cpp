#include "tuner/cuda/sweep_product.hpp"

#include "kernels/cuda_probe.hpp"
#include "kernels/spgemm/registry.hpp"
#include "matrix/cuda/device_csr.hpp"
#include "tuner/cuda/product_to_host.hpp"
#include "tuner/cuda/sweep.hpp"
#include "tuner/product_contenders.hpp"

namespace sptune::tuner {
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
    limit_storage(options, device_available_memory() / 10 * 9);
    return sweep_product_contenders(problem, features, product, check,
                                    spgemm_kernels<T, P>(Backend::cuda), baseline, device, 1,
                                    options, [rows = check.windows()](const Product<T, P>& c) {
                                        return to_host(c, std::span<const RowWindow>(rows));
                                    });
}

#define SPTUNE_INSTANTIATE(T, P)                                                          \
    template SweepResult sweep_spgemm_cuda(CsrView<T, P>, CsrView<T, P>, const Features&, \
                                           const ProductFeatures&, const std::string&,    \
                                           const SweepOptions&);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune::tuner
