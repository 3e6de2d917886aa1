// MKL's SpMV as candidates: plain CSR, and the inspector-executor after its optimisation.

#include "kernels/kernel_list.hpp"
#include "kernels/parallel.hpp"
#include "kernels/vendor/mkl_library.hpp"
#include "kernels/vendor/vendor.hpp"
#include "matrix/csr_bytes.hpp"

namespace sptune {

namespace {

template <class T>
class MklStorage final : public Storage {
  public:
    mkl::Handle handle = nullptr;
    std::uint64_t moved_bytes = 0;
    bool as_given = false;  ///< MKL works on the caller's arrays
    std::uint64_t nnz = 0;

    ~MklStorage() override {
        if (handle) mkl::library().destroy(handle);
    }
    std::uint64_t bytes() const override { return moved_bytes; }
    std::uint64_t held_bytes() const override { return as_given ? 0 : moved_bytes; }
    std::uint64_t stored() const override { return nnz; }
};

/// Layout parameter o: 1 as given, 2 after mkl_sparse_optimize.
struct MklFormat {
    static constexpr const char* name = "mkl";

    template <class T, class P>
    static Footprint inspect(CsrView<T, P> a, const Features&, const Params& params) {
        Footprint f;
        if (get(params, "o") == 2) f.storage_bytes = csr_bytes(a);  // MKL does not say
        f.moved_bytes = static_cast<std::uint64_t>(a.nnz()) * sizeof(T);
        if (a.rows == 0 || a.cols == 0 || a.nnz() == 0) f.illegal = "MKL refuses empty matrices";
        return f;
    }

    template <class T, class P>
    static std::unique_ptr<Storage> convert(CsrView<T, P> a, const Params& params, int threads) {
        const mkl::Library& lib = mkl::library();
        const mkl::Threads team(threads);
        auto s = std::make_unique<MklStorage<T>>();
        s->nnz = static_cast<std::uint64_t>(a.nnz());
        s->moved_bytes = csr_bytes(a);
        s->as_given = get(params, "o") == 1;
        // MKL does not write to the arrays; its interface only lacks the const.
        auto* row_ptr = const_cast<P*>(a.row_ptr);
        int failed = lib.of<T>().create_csr(&s->handle, mkl::kZeroBased, a.rows, a.cols, row_ptr,
                                            row_ptr + 1, const_cast<index_t*>(a.col_idx),
                                            const_cast<T*>(a.values));
        if (!failed && get(params, "o") == 2) {
            constexpr int kManyCalls = 1'000'000;
            failed =
                lib.set_mv_hint(s->handle, mkl::kNonTranspose, mkl::kGeneralMatrix, kManyCalls);
            if (!failed) failed = lib.optimize(s->handle);
        }
        if (failed) throw Error("MKL refused the matrix with status " + std::to_string(failed));
        return s;
    }
};

template <class T>
void mkl_mv(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const auto& s = static_cast<const MklStorage<T>&>(storage);
    const mkl::Threads team(launch.threads);
    const int failed = mkl::library().of<T>().mv(mkl::kNonTranspose, alpha, s.handle,
                                                 mkl::kGeneralMatrix, x, beta, y);
    if (failed) throw Error("MKL refused to multiply with status " + std::to_string(failed));
}

template <class T>
void add(KernelList<T>& list) {
    // LP64 has 32-bit row pointers only.
    if (!list.template wants<std::int32_t>() || !mkl::library().loaded) return;
    for (const auto& [algorithm, stage] : {std::pair{"csr", 1}, std::pair{"ie", 2}}) {
        add_kernel<MklFormat, T, std::int32_t>(list, algorithm, {{"o", stage}}, {}, &mkl_mv<T>);
        list.i32.back().variant.vendor = true;
        list.i32.back().variant.deterministic = false;  // promised in its CNR modes alone
    }
}

}  // namespace

void add_vendor_kernels(KernelList<float>& list) {
    add(list);
}
void add_vendor_kernels(KernelList<double>& list) {
    add(list);
}

}  // namespace sptune
