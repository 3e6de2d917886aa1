// MKL's sparse product as a candidate.

#include "kernels/parallel.hpp"
#include "kernels/spgemm/cpu/drop_zeros.hpp"
#include "kernels/spgemm/host_product.hpp"
#include "kernels/vendor/mkl_library.hpp"
#include "kernels/vendor/spgemm.hpp"

#include <limits>
#include <string>
#include <utility>

namespace sptune {

namespace {

/// Owns what MKL knows a matrix by.
class MklMatrix {
  public:
    MklMatrix() = default;
    MklMatrix(const MklMatrix&) = delete;
    MklMatrix& operator=(const MklMatrix&) = delete;
    ~MklMatrix() {
        if (handle) mkl::library().destroy(handle);
    }
    mkl::Handle handle = nullptr;
};

void check(int status, const char* what, std::uint64_t bytes = 0) {
    if (status == mkl::kAllocationFailed) throw OutOfMemory("MKL's sparse product", bytes);
    if (status != mkl::kSuccess)
        throw Error(std::string(what) + " failed with status " + std::to_string(status));
}

template <class T>
class MklProduct final : public Product<T, std::int32_t> {
  public:
    MklMatrix c;
    CsrView<T, std::int32_t> exported;
    CsrView<T, std::int32_t> view() const override { return exported; }
};

/// MKL counts in 32 bits and does not say when it passes them.
constexpr std::uint64_t kMostEntries = std::numeric_limits<std::int32_t>::max();
std::string too_many(std::uint64_t entries) {
    return "C may have " + std::to_string(entries) +
           " entries, more than MKL's 32-bit interface counts safely";
}

template <class T>
SpgemmFootprint inspect(const SpgemmProblem<T, std::int32_t>& p, const Params&) {
    SpgemmFootprint f;
    // MKL refuses empty matrices.
    if (p.a.nnz() == 0 || p.b.nnz() == 0) f.illegal = "MKL refuses empty matrices";
    if (p.upper_entries > kMostEntries) f.illegal = too_many(p.upper_entries);
    return f;
}

template <class T>
void wrap(CsrView<T, std::int32_t> m, MklMatrix& out) {
    // MKL does not write to the arrays; its interface only lacks the const.
    auto* row_ptr = const_cast<std::int32_t*>(m.row_ptr);
    check(mkl::library().of<T>().create_csr(&out.handle, mkl::kZeroBased, m.rows, m.cols, row_ptr,
                                            row_ptr + 1, const_cast<index_t*>(m.col_idx),
                                            const_cast<T*>(m.values)),
          "mkl_sparse_create_csr");
}

template <class T>
std::unique_ptr<Product<T, std::int32_t>> multiply(const SpgemmProblem<T, std::int32_t>& p,
                                                   const SpgemmOperands*, const Params&,
                                                   const SpgemmOptions& options,
                                                   SpgemmLaunch launch) {
    if (p.upper_entries > kMostEntries) throw SizeOverflow(too_many(p.upper_entries));
    const mkl::Library& lib = mkl::library();
    const mkl::Threads team(launch.threads);
    MklMatrix a, b;
    wrap(p.a, a);
    wrap(p.b, b);
    auto product = std::make_unique<MklProduct<T>>();
    mkl::Handle& c = product->c.handle;
    check(lib.spmm(mkl::kNonTranspose, a.handle, b.handle, &c), "mkl_sparse_spmm",
          p.upper_entries * (sizeof(T) + sizeof(index_t)));
    if (options.sorted) check(lib.order(c), "mkl_sparse_order");
    int base = 0, *row_end = nullptr, *row_begin = nullptr;
    CsrView<T, std::int32_t>& view = product->exported;
    index_t* columns = nullptr;
    T* values = nullptr;
    check(lib.of<T>().export_csr(c, &base, &view.rows, &view.cols, &row_begin, &row_end, &columns,
                                 &values),
          "mkl_sparse_export_csr");
    // Rows lie back to back, so that the ends are the next beginnings.
    if (base != 0 || (view.rows > 0 && row_end != row_begin + 1))
        throw Error("MKL returned a sparse product in a layout that is not CSR from 0");
    view.row_ptr = row_begin;
    view.col_idx = columns;
    view.values = values;
    // It is made already, but neither a caller with less room nor a copy should have to hold it.
    const std::uint64_t bytes =
        (static_cast<std::uint64_t>(view.rows) + 1) * sizeof(std::int32_t) +
        static_cast<std::uint64_t>(view.nnz()) * (sizeof(T) + sizeof(index_t));
    if (bytes > options.memory_bytes) throw OutOfMemory("MKL's sparse product", bytes);
    if (options.drop_zeros)
        return std::make_unique<HostProduct<T, std::int32_t>>(
            drop_zeros(view, resolve_threads(launch.threads)));
    return product;
}

template <class T>
void add(SpgemmKernelList<T>& list) {
    if (!mkl::library().loaded) return;
    Variant& v = add_spgemm_kernel<std::int32_t>(list, Backend::cpu, "mkl", "spmm", {}, &inspect<T>,
                                                 &multiply<T>)
                     .variant;
    v.vendor = true;
    v.deterministic = false;  // promised in its CNR modes alone
}

}  // namespace

void add_mkl_spgemm_kernels(SpgemmKernelList<float>& list) {
    add(list);
}
void add_mkl_spgemm_kernels(SpgemmKernelList<double>& list) {
    add(list);
}

}  // namespace sptune
