#include "tuner/cuda/sweep.hpp"

#include "kernels/cuda_probe.hpp"
#include "kernels/registry.hpp"
#include "matrix/cuda/device_csr.hpp"
#include "tuner/cuda/verify.hpp"
#include "tuner/likely.hpp"
#include "tuner/sweep_contenders.hpp"

namespace sptune::tuner {
namespace {

template <class T, class P>
Contender contender(CsrView<T, P> a, const Features& features, const SpmvKernel<T, P>& kernel,
                    DeviceProblem<T>& problem, CudaTimer& timer) {
    return {
        .variant = kernel.variant,
        .inspect = [=, &features,
                    &kernel] { return kernel.inspect(a, features, kernel.variant.params); },
        .convert = [=, &kernel] { return kernel.convert(a, kernel.variant.params, 0); },
        .verify = [&kernel, &problem,
                   &timer](const Storage& s) { return verify(kernel, s, problem, timer); },
        .run =
            [apply = kernel.apply, x = problem.x.data(), y = problem.y.data(),
             stream = timer.stream()](const Storage& s) {
                apply(s, T{1}, x, T{0}, y, Launch{1, stream});
            },
    };
}

}  // namespace

template <class T, class P>
SweepResult sweep_spmv_cuda(CsrView<T, P> a, const Features& features, const SweepOptions& wanted) {
    require_cuda();
    const db::Device& device = cuda_device();
    const DeviceCsr<T, P> on_device(a);
    const Problem<T> problem = make_problem(a, wanted.seed);
    DeviceProblem<T> device_problem(problem);
    CudaTimer timer(models::launching_of(device));
    SweepOptions options = wanted;
    options.timer = &timer;
    if (options.likely.empty())
        options.likely = likely_spmv(on_device.view(), features, Backend::cuda, options.threads);
    limit_storage(options, device_available_memory() / 2);
    const std::string baseline =
        spmv_baseline_id(Backend::cuda, value_type_of<T>(), index_type_of<P>());
    std::vector<Contender> contenders;
    for (const SpmvKernel<T, P>& kernel : spmv_kernels<T, P>(Backend::cuda))
        if (wanted_by(kernel.variant, baseline, options))
            contenders.push_back(
                contender(on_device.view(), features, kernel, device_problem, timer));
    return sweep_contenders(subject_of(a, problem.used_cols), features, std::move(contenders),
                            baseline, device, options);
}

#define SPTUNE_INSTANTIATE(T, P) \
    template SweepResult sweep_spmv_cuda(CsrView<T, P>, const Features&, const SweepOptions&);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune::tuner
