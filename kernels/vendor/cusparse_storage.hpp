// A matrix as cuSPARSE holds it, and one call of its SpMV.
#pragma once

#include "kernels/cuda/launch.hpp"
#include "kernels/vendor/cusparse_convert.hpp"
#include "kernels/vendor/cusparse_library.hpp"

namespace sptune::cusparse {

template <class T>
constexpr cudaDataType kValueType = sizeof(T) == 4 ? CUDA_R_32F : CUDA_R_64F;
template <class P>
constexpr cusparseIndexType_t kIndexType = sizeof(P) == 4 ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I;

/// Exclusive: the workspace and the vectors' descriptors belong to the matrix. cuSPARSE wants the
/// same workspace for all calls with one matrix, and a descriptor made per call would allocate.
template <class T, class P>
class SpmvStorage final : public Storage {
  public:
    Arrays<T, P> arrays;
    cusparseConstSpMatDescr_t matrix = nullptr;
    cusparseSpMVAlg_t algorithm = CUSPARSE_SPMV_ALG_DEFAULT;
    std::uint64_t moved_bytes = 0;
    std::uint64_t entries = 0;

    SpmvStorage() = default;
    SpmvStorage(const SpmvStorage&) = delete;
    SpmvStorage& operator=(const SpmvStorage&) = delete;
    ~SpmvStorage() override {
        if (matrix) library().DestroySpMat(matrix);
        if (x_) library().DestroyDnVec(x_);
        if (y_) library().DestroyDnVec(y_);
    }
    std::uint64_t bytes() const override { return moved_bytes; }
    std::uint64_t held_bytes() const override { return arrays.bytes() + workspace_.bytes(); }
    std::uint64_t stored() const override { return entries; }
    bool exclusive() const override { return true; }

    /// Once `matrix` and `algorithm` are set: gets the workspace and lets cuSPARSE look at the
    /// structure. Waits for the device.
    void prepare(index_t rows, index_t cols) {
        // Neither vector is used yet, but cuSPARSE checks that there are some.
        DeviceBuffer<T> some_x(static_cast<std::size_t>(cols)),
            some_y(static_cast<std::size_t>(rows));
        SPTUNE_CUSPARSE(CreateDnVec, &x_, cols, some_x.data(), kValueType<T>);
        SPTUNE_CUSPARSE(CreateDnVec, &y_, rows, some_y.data(), kValueType<T>);
        const T one{1}, zero{0};
        std::size_t bytes = 0;
        SPTUNE_CUSPARSE(SpMV_bufferSize, handle(nullptr), CUSPARSE_OPERATION_NON_TRANSPOSE, &one,
                        matrix, x_, &zero, y_, kValueType<T>, algorithm, &bytes);
        workspace_ = DeviceBuffer<char>(bytes ? bytes : 1);
        // The documentation promises something of it for CSR alone.
        const bool csr = algorithm == CUSPARSE_SPMV_CSR_ALG1 || algorithm == CUSPARSE_SPMV_CSR_ALG2;
        if (csr && library().SpMV_preprocess)
            check(library().SpMV_preprocess(handle(nullptr), CUSPARSE_OPERATION_NON_TRANSPOSE, &one,
                                            matrix, x_, &zero, y_, kValueType<T>, algorithm,
                                            workspace_.data()),
                  "cusparseSpMV_preprocess", __FILE__, __LINE__, bytes);
        SPTUNE_CUDA(cudaStreamSynchronize(nullptr));
    }

    void multiply(T alpha, const T* x, T beta, T* y, cudaStream_t stream) const {
        // cuSPARSE does not write to x; its interface only lacks the const.
        SPTUNE_CUSPARSE(DnVecSetValues, x_, const_cast<T*>(x));
        SPTUNE_CUSPARSE(DnVecSetValues, y_, y);
        SPTUNE_CUSPARSE(SpMV, handle(stream), CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, matrix, x_,
                        &beta, y_, kValueType<T>, algorithm, workspace_.data());
    }

  private:
    cusparseDnVecDescr_t x_ = nullptr, y_ = nullptr;
    mutable DeviceBuffer<char> workspace_;
};

template <class T, class P>
void multiply(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    static_cast<const SpmvStorage<T, P>&>(storage).multiply(alpha, x, beta, y,
                                                            cuda::stream_of(launch));
}

}  // namespace sptune::cusparse
