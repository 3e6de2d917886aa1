#include "library/matrix.hpp"

#include "features/structure.hpp"
#include "library/require.hpp"
#include "matrix/error.hpp"
#include "matrix/transposed.hpp"
#include "tuner/cuda/calls.hpp"

#include <fmt/format.h>

#ifdef SPTUNE_HAS_CUDA
#include "matrix/cuda/copy_csr.hpp"
#endif

namespace sptune {
inline namespace v1 {

backend memory_of(const void* address) {
    return tuner::is_device_pointer(address) ? backend::cuda : backend::cpu;
}

}  // namespace v1
}  // namespace sptune

namespace sptune::library {
namespace {

template <class T, class P>
class HostTranspose final : public Transpose<T, P> {
  public:
    HostTranspose(CsrView<T, P> a, int threads) : t_(a, threads) {}
    CsrView<T, P> view() const override { return t_.view(); }
    void update(CsrView<T, P> a) override { t_.update(a); }

  private:
    Transposed<T, P> t_;
};

#ifdef SPTUNE_HAS_CUDA
/// Made on the host.
template <class T, class P>
class DeviceTranspose final : public Transpose<T, P> {
  public:
    DeviceTranspose(CsrView<T, P> a, int threads) : threads_(threads) {
        const Csr<T, P> copy = copy_to_host(a);
        check_structure(copy.view(), threads);
        t_ = DeviceCsr<T, P>(Transposed<T, P>(copy.view(), threads).view());
    }
    CsrView<T, P> view() const override { return t_.view(); }
    void update(CsrView<T, P> a) override {
        const Transposed<T, P> t(copy_to_host(a).view(), threads_);
        t_.values = DeviceBuffer<T>(t.view().values, t_.values.size());
    }

  private:
    int threads_;
    DeviceCsr<T, P> t_;
};
#endif

}  // namespace

template <class T, class P>
Backend backend_of(const csr_view<T, P>& a) {
    const bool device = a.row_ptr && tuner::is_device_pointer(a.row_ptr);
    for (const void* p : {static_cast<const void*>(a.col_idx), static_cast<const void*>(a.values)})
        require(!p || tuner::is_device_pointer(p) == device,
                "the matrix lies partly in host memory and partly on a GPU; put all three arrays "
                "in the same memory");
    require(!device || !tuner::is_elsewhere(a.row_ptr),
            "the matrix lies on another GPU than the current one; call cudaSetDevice() for its GPU "
            "before");
    return device ? Backend::cuda : Backend::cpu;
}

template <class T, class P>
CsrView<T, P> checked_view(const csr_view<T, P>& a, Backend backend) {
    require(a.rows >= 0 && a.cols >= 0,
            fmt::format("a matrix of {} rows and {} columns", a.rows, a.cols));
    require(a.rows == 0 || a.row_ptr, "row_ptr is null");
    require(a.nnz >= -1, fmt::format("nnz is {}; expected -1 (read from row_ptr) or more", a.nnz));
    P nnz = a.nnz;
    if (a.rows == 0) {
        nnz = 0;
    } else if (backend == Backend::cpu) {
        require(a.row_ptr[0] == 0, fmt::format("row_ptr[0] is {}; expected 0", a.row_ptr[0]));
        require(nnz < 0 || nnz == a.row_ptr[a.rows],
                fmt::format("nnz is {}, but row_ptr[{}] is {}", nnz, a.rows, a.row_ptr[a.rows]));
        nnz = a.row_ptr[a.rows];
    } else if (nnz < 0) {
        tuner::read_from_device(&nnz, a.row_ptr + a.rows, sizeof(P));
    }
    require(nnz >= 0, fmt::format("row_ptr[{}] is {}, which is negative", a.rows, nnz));
    require(nnz == 0 || a.col_idx, "col_idx is null");
    require(nnz == 0 || a.values, "values is null");
    require(nnz == 0 || a.cols > 0, "there are entries, but no columns");
    return {a.rows, a.cols, a.row_ptr, a.col_idx, a.values, nnz};
}

template <class T, class P>
std::unique_ptr<Transpose<T, P>> transpose(CsrView<T, P> a, Backend backend, int threads) {
#ifdef SPTUNE_HAS_CUDA
    if (backend == Backend::cuda) return std::make_unique<DeviceTranspose<T, P>>(a, threads);
#else
    static_cast<void>(backend);
#endif
    return std::make_unique<HostTranspose<T, P>>(a, threads);
}

#define SPTUNE_INSTANTIATE(T, P)                                         \
    template Backend backend_of(const csr_view<T, P>&);                  \
    template CsrView<T, P> checked_view(const csr_view<T, P>&, Backend); \
    template std::unique_ptr<Transpose<T, P>> transpose(CsrView<T, P>, Backend, int);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune::library
