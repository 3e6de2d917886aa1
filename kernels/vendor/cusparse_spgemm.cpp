// cuSPARSE's SpGEMM as candidates. It takes 32-bit row pointers alone. Its documentation does not
// promise sorted columns, so a result that is asked for sorted is checked, and sorted where needed.
#include "kernels/spgemm/device_spgemm.hpp"
#include "kernels/spgemm/finish.hpp"
#include "kernels/vendor/cusparse_library.hpp"
#include "kernels/vendor/cusparse_storage.hpp"
#include "kernels/vendor/spgemm.hpp"

#include <algorithm>

namespace sptune {
namespace {

using namespace cusparse;
using P = std::int32_t;

template <class T>
using Descriptor = std::unique_ptr<std::remove_pointer_t<T>, cusparseStatus_t (*)(T)>;

cusparseStatus_t destroy_const(cusparseConstSpMatDescr_t m) {
    return library().DestroySpMat(m);
}
cusparseStatus_t destroy(cusparseSpMatDescr_t m) {
    return library().DestroySpMat(m);
}
cusparseStatus_t destroy_state(cusparseSpGEMMDescr_t state) {
    return library().SpGEMM_destroyDescr(state);
}

template <class T>
Descriptor<cusparseConstSpMatDescr_t> describe(CsrView<T, P> m) {
    cusparseConstSpMatDescr_t made = nullptr;
    SPTUNE_CUSPARSE(CreateConstCsr, &made, m.rows, m.cols, m.nnz(), m.row_ptr, m.col_idx, m.values,
                    kIndexType<P>, kIndexType<index_t>, CUSPARSE_INDEX_BASE_ZERO, kValueType<T>);
    return {made, destroy_const};
}

/// The arguments that all steps share, and the memory that they work in.
template <class T>
class VendorProduct {
  public:
    VendorProduct(const SpgemmProblem<T, P>& problem, const Params& params,
                  const SpgemmOptions& options, cudaStream_t stream)
        : p_(problem),
          options_(options),
          stream_(stream),
          algorithm_(static_cast<cusparseSpGEMMAlg_t>(CUSPARSE_SPGEMM_ALG1 + get(params, "o") - 1)),
          fraction_(algorithm_ == CUSPARSE_SPGEMM_ALG3
                        ? 0.01f * static_cast<float>(get(params, "c"))
                        : 1.0f),
          a_(describe(problem.a)),
          b_(describe(problem.b)),
          row_ptr_(static_cast<std::size_t>(problem.a.rows) + 1) {
        cusparseSpGEMMDescr_t state = nullptr;
        SPTUNE_CUSPARSE(SpGEMM_createDescr, &state);
        state_.reset(state);
        cusparseSpMatDescr_t made = nullptr;
        SPTUNE_CUSPARSE(CreateCsr, &made, problem.a.rows, problem.b.cols, 0, row_ptr_.data(),
                        nullptr, nullptr, kIndexType<P>, kIndexType<index_t>,
                        CUSPARSE_INDEX_BASE_ZERO, kValueType<T>);
        c_.reset(made);
    }
    VendorProduct(const VendorProduct&) = delete;
    VendorProduct& operator=(const VendorProduct&) = delete;

    DeviceCsr<T, P> run() {
        std::size_t bytes = 0;
        step(library().SpGEMM_workEstimation, "cusparseSpGEMM_workEstimation", 0, &bytes, nullptr);
        const DeviceBuffer<char> work = take(bytes);
        step(library().SpGEMM_workEstimation, "cusparseSpGEMM_workEstimation", bytes, &bytes,
             const_cast<char*>(work.data()));
        if (algorithm_ == CUSPARSE_SPGEMM_ALG1)
            step(library().SpGEMM_compute, "cusparseSpGEMM_compute", 0, &bytes, nullptr);
        else
            bytes = estimate();
        const DeviceBuffer<char> sums = take(bytes);
        step(library().SpGEMM_compute, "cusparseSpGEMM_compute", bytes, &bytes,
             const_cast<char*>(sums.data()));
        std::int64_t rows = 0, cols = 0, entries = 0;
        SPTUNE_CUSPARSE(SpMatGetSize, c_.get(), &rows, &cols, &entries);
        DeviceCsr<T, P> c =
            cuda::allocate_product<T, P>(p_.a.rows, p_.b.cols, static_cast<std::uint64_t>(entries),
                                         std::move(row_ptr_), taken_, options_.memory_bytes);
        cuda::allow_allocations(stream_);
        SPTUNE_CUSPARSE(CsrSetPointers, c_.get(), c.row_ptr.data(), c.col_idx.data(),
                        c.values.data());
        const T one{1}, zero{0};
        SPTUNE_CUSPARSE(SpGEMM_copy, handle(stream_), kPlain, kPlain, &one, a_.get(), b_.get(),
                        &zero, c_.get(), kValueType<T>, algorithm_, state_.get());
        SPTUNE_CUDA(cudaStreamSynchronize(stream_));
        return c;
    }

  private:
    static constexpr cusparseOperation_t kPlain = CUSPARSE_OPERATION_NON_TRANSPOSE;

    template <class Function>
    void step(Function function, const char* name, std::uint64_t asked, std::size_t* bytes,
              void* memory) {
        const T one{1}, zero{0};
        check(function(handle(stream_), kPlain, kPlain, &one, a_.get(), b_.get(), &zero, c_.get(),
                       kValueType<T>, algorithm_, state_.get(), bytes, memory),
              name, __FILE__, __LINE__, asked);
    }

    /// What ALG2 and ALG3 need for the sums.
    std::size_t estimate() {
        const T one{1}, zero{0};
        std::size_t bytes = 0, needed = 0;
        const auto ask = [&](void* memory, std::size_t* result) {
            SPTUNE_CUSPARSE(SpGEMM_estimateMemory, handle(stream_), kPlain, kPlain, &one, a_.get(),
                            b_.get(), &zero, c_.get(), kValueType<T>, algorithm_, state_.get(),
                            fraction_, &bytes, memory, result);
        };
        ask(nullptr, nullptr);
        const std::uint64_t before = taken_;
        DeviceBuffer<char> memory = take(bytes);
        ask(memory.data(), &needed);
        SPTUNE_CUDA(cudaStreamSynchronize(stream_));  // before the memory goes
        taken_ = before;
        return needed;
    }

    DeviceBuffer<char> take(std::size_t bytes) {
        taken_ += bytes;
        if (taken_ > options_.memory_bytes) throw OutOfMemory("cuSPARSE's SpGEMM", taken_);
        DeviceBuffer<char> memory(std::max<std::size_t>(bytes, 1));
        cuda::allow_allocations(stream_);
        return memory;
    }

    const SpgemmProblem<T, P>& p_;
    const SpgemmOptions& options_;
    cudaStream_t stream_;
    cusparseSpGEMMAlg_t algorithm_;
    float fraction_;
    Descriptor<cusparseConstSpMatDescr_t> a_, b_;
    DeviceBuffer<P> row_ptr_;
    Descriptor<cusparseSpMatDescr_t> c_{nullptr, destroy};
    Descriptor<cusparseSpGEMMDescr_t> state_{nullptr, destroy_state};
    std::uint64_t taken_ = 0;
};

template <class T>
SpgemmFootprint inspect(const SpgemmProblem<T, P>& problem, const Params&) {
    SpgemmFootprint f;
    // What it takes is not documented; ALG1 was seen to keep every product with its position.
    f.temporary_bytes = problem.products * (sizeof(T) + sizeof(index_t));
    return f;
}

template <class T>
std::unique_ptr<Product<T, P>> multiply(const SpgemmProblem<T, P>& problem, const SpgemmOperands*,
                                        const Params& params, const SpgemmOptions& options,
                                        SpgemmLaunch launch) {
    const cudaStream_t stream = cuda::stream_of(launch);
    DeviceCsr<T, P> c = problem.products == 0
                            ? cuda::empty_product<T, P>(problem.a.rows, problem.b.cols, stream)
                            : VendorProduct<T>(problem, params, options, stream).run();
    const bool sorted = options.sorted && cuda::rows_sorted(c.view());
    return cuda::finish(std::move(c), sorted, options);
}

template <class T>
void add(SpgemmKernelList<T>& list) {
    const Library& lib = library();
    if (!lib.loaded || !lib.SpGEMM_createDescr || !lib.SpGEMM_destroyDescr ||
        !lib.SpGEMM_workEstimation || !lib.SpGEMM_compute || !lib.SpGEMM_copy || !lib.CreateCsr ||
        !lib.CsrSetPointers || !lib.SpMatGetSize)
        return;
    std::vector<Params> all{{{"o", 1}}};
    if (lib.SpGEMM_estimateMemory)
        all.insert(all.end(), {{{"o", 2}}, {{"o", 3}, {"c", 10}}, {{"o", 3}, {"c", 50}}});
    for (const Params& params : all) {
        Variant& v = add_spgemm_kernel<P>(list, Backend::cuda, "cusparse", "spgemm", params,
                                          &inspect<T>, &multiply<T>)
                         .variant;
        v.vendor = true;
        v.deterministic = false;  // promised of none
    }
}

}  // namespace

void add_cusparse_spgemm_kernels(SpgemmKernelList<float>& list) {
    add(list);
}
void add_cusparse_spgemm_kernels(SpgemmKernelList<double>& list) {
    add(list);
}

}  // namespace sptune
