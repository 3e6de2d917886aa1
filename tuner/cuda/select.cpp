#include "tuner/cuda/select.hpp"

#include "features/cuda/features.hpp"
#include "features/structure.hpp"
#include "kernels/cuda/row_lengths.hpp"
#include "kernels/cuda_probe.hpp"
#include "matrix/cuda/copy_csr.hpp"
#include "matrix/cuda/device_csr.hpp"
#include "matrix/cuda/grid.hpp"

namespace sptune::tuner {

namespace {

/// Throws UsageError where indices lead out of the arrays.
template <class T, class P>
class CheckedLook final : public PendingLook {
  public:
    explicit CheckedLook(CsrView<T, P> view) : view_(view), look_(begin_look_on_device(view)) {}
    FirstLook wait() override {
        const FirstLook found = look_->wait();
        if (found.readable) return found;
        check_structure(copy_to_host(view_).view(), 1);  // says where
        throw UsageError(
            "columns beyond row_ptr's last entry, or before its first, lie outside of A");
    }

  private:
    CsrView<T, P> view_;
    std::unique_ptr<PendingLook> look_;
};

}  // namespace

template <class T, class P>
Chooser<T, P> choose_on_device(CsrView<T, P> view) {
    Chooser<T, P> chooser{view,
                          Backend::cuda,
                          [=] { return fingerprint_on_device(view); },
                          [=] { return extract_features_on_device(view); },
                          [=] { return std::int64_t{cuda::longest_row(view.row_ptr, view.rows)}; },
                          cuda::multiprocessors(),
                          true};
    chooser.begin_look = [=] { return std::make_unique<CheckedLook<T, P>>(view); };
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
