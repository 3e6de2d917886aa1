#include "tuner/cuda/select.hpp"

#include "features/cuda/features.hpp"
#include "features/structure.hpp"
#include "kernels/cuda/row_lengths.hpp"
#include "kernels/cuda_probe.hpp"
#include "matrix/cuda/copy_csr.hpp"
#include "matrix/cuda/device_csr.hpp"
#include "matrix/cuda/grid.hpp"

namespace sptune::tuner {

template <class T, class P>
Chooser<T, P> choose_on_device(CsrView<T, P> view) {
    Chooser<T, P> chooser{view,
                          Backend::cuda,
                          [=] { return fingerprint_on_device(view); },
                          [=] { return extract_features_on_device(view); },
                          [=] { return std::int64_t{cuda::longest_row(view.row_ptr, view.rows)}; },
                          cuda::multiprocessors(),
                          true};
    chooser.first_look = [=] {
        const FirstLook look = first_look_on_device(view);
        if (!look.readable) check_structure(copy_to_host(view).view(), 1);  // says where
        return look;
    };
    return chooser;
}

template <class T, class P>
Chooser<T, P> choose_with_copy_on_device(CsrView<T, P> host) {
    require_cuda();
    const auto copy = std::make_shared<const DeviceCsr<T, P>>(host);
    Chooser<T, P> chooser = choose_on_device(copy->view());
    chooser.kept = copy;
    return chooser;
}

#define SPTUNE_INSTANTIATE(T, P)                            \
    template Chooser<T, P> choose_on_device(CsrView<T, P>); \
    template Chooser<T, P> choose_with_copy_on_device(CsrView<T, P>);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune::tuner
