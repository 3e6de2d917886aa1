// cg_gpu [--products] MATRIX...: conjugate gradients on the GPU, 200 iterations whatever the
// residual says, f64, with cuSPARSE's CSR and with auto_spmv. Everything from A in device memory on
// counts: buffers, descriptors, choosing, converting. The solvers take turns (cg_table.hpp),
// auto_spmv as if it had never seen the matrix; medians. A markdown table, a line for each square
// matrix, and how many of them auto_spmv wins. Without a database: set SPTUNE_DB to an empty
// folder. --products: as many products y = A x instead, one after the other, which nothing else
// makes look alike.
#include "cg_table.hpp"
#include "matrix/cuda/check.hpp"
#include "matrix/cuda/device_csr.hpp"
#include "matrix/load.hpp"
#include "sptune/sptune.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include <cublas_v2.h>
#include <cusparse.h>
#include <fmt/format.h>

namespace {

using namespace sptune;
using Vector = DeviceBuffer<double>;
using Product = std::function<void(const double* x, double* y)>;
constexpr int kIterations = 200;

void require(bool holds, const char* what) {
    if (!holds) throw Error(fmt::format("{} failed", what));
}

/// What a practitioner writes: dot products come back to the host.
class Solver {
  public:
    explicit Solver(index_t n)
        : n_(n), x_(size()), r_(size()), p_(size()), q_(size()), b_(Buffer<double>(size(), 1.0)) {
        require(cublasCreate(&blas_) == CUBLAS_STATUS_SUCCESS, "cublasCreate");
    }
    ~Solver() { cublasDestroy(blas_); }
    Solver(const Solver&) = delete;
    Solver& operator=(const Solver&) = delete;

    double milliseconds(const std::function<Product()>& make, bool products_only) {
        SPTUNE_CUDA(cudaDeviceSynchronize());
        const auto start = std::chrono::steady_clock::now();
        const Product product = make();
        copy(b_, r_), copy(b_, p_);
        if (products_only)
            for (int i = 0; i < kIterations; ++i) product(p_.data(), q_.data());
        else
            iterate(product);
        SPTUNE_CUDA(cudaDeviceSynchronize());
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
            .count();
    }

  private:
    void iterate(const Product& product) {
        double rr = dot(r_, r_);
        for (int i = 0; i < kIterations; ++i) {
            product(p_.data(), q_.data());
            const double alpha = safe(rr / dot(p_, q_));
            axpy(alpha, p_, x_);
            axpy(-alpha, q_, r_);
            const double before = rr;
            rr = dot(r_, r_);
            const double beta = safe(rr / before);
            cublasDscal(blas_, n_, &beta, p_.data(), 1);
            axpy(1, r_, p_);
        }
    }

    std::size_t size() const { return static_cast<std::size_t>(n_); }
    /// Matrices that are not positive definite get numbers to go on with.
    static double safe(double v) { return std::isfinite(v) ? std::clamp(v, -1e3, 1e3) : 0.5; }
    void copy(const Vector& from, Vector& to) {
        cublasDcopy(blas_, n_, from.data(), 1, to.data(), 1);
    }
    double dot(const Vector& a, const Vector& b) {
        double sum = 0;
        cublasDdot(blas_, n_, a.data(), 1, b.data(), 1, &sum);
        return sum;
    }
    void axpy(double a, const Vector& x, Vector& y) {
        cublasDaxpy(blas_, n_, &a, x.data(), 1, y.data(), 1);
    }

    index_t n_;
    cublasHandle_t blas_ = nullptr;
    Vector x_, r_, p_, q_, b_;
};

/// cuSPARSE as its samples use it: descriptors, a buffer, preprocessing, its default algorithm.
class Cusparse {
  public:
    Cusparse(cusparseHandle_t handle, CsrView<double, std::int32_t> a, double* x, double* y)
        : handle_(handle) {
        require(cusparseCreateCsr(&a_, a.rows, a.cols, a.nnz(), const_cast<int*>(a.row_ptr),
                                  const_cast<int*>(a.col_idx), const_cast<double*>(a.values),
                                  CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                  CUDA_R_64F) == CUSPARSE_STATUS_SUCCESS &&
                    cusparseCreateDnVec(&x_, a.cols, x, CUDA_R_64F) == CUSPARSE_STATUS_SUCCESS &&
                    cusparseCreateDnVec(&y_, a.rows, y, CUDA_R_64F) == CUSPARSE_STATUS_SUCCESS,
                "creating cuSPARSE's descriptors");
        std::size_t bytes = 0;
        require(
            cusparseSpMV_bufferSize(handle_, kNormal, &one_, a_, x_, &zero_, y_, CUDA_R_64F,
                                    CUSPARSE_SPMV_ALG_DEFAULT, &bytes) == CUSPARSE_STATUS_SUCCESS,
            "cusparseSpMV_bufferSize");
        SPTUNE_CUDA(cudaMalloc(&buffer_, std::max<std::size_t>(bytes, 1)));
        require(
            cusparseSpMV_preprocess(handle_, kNormal, &one_, a_, x_, &zero_, y_, CUDA_R_64F,
                                    CUSPARSE_SPMV_ALG_DEFAULT, buffer_) == CUSPARSE_STATUS_SUCCESS,
            "cusparseSpMV_preprocess");
    }
    ~Cusparse() {
        cusparseDestroySpMat(a_), cusparseDestroyDnVec(x_), cusparseDestroyDnVec(y_);
        cudaFree(buffer_);
    }
    Cusparse(const Cusparse&) = delete;
    Cusparse& operator=(const Cusparse&) = delete;

    void multiply(const double* x, double* y) {
        cusparseDnVecSetValues(x_, const_cast<double*>(x)), cusparseDnVecSetValues(y_, y);
        require(cusparseSpMV(handle_, kNormal, &one_, a_, x_, &zero_, y_, CUDA_R_64F,
                             CUSPARSE_SPMV_ALG_DEFAULT, buffer_) == CUSPARSE_STATUS_SUCCESS,
                "cusparseSpMV");
    }

  private:
    static constexpr auto kNormal = CUSPARSE_OPERATION_NON_TRANSPOSE;
    cusparseHandle_t handle_;
    cusparseSpMatDescr_t a_ = nullptr;
    cusparseDnVecDescr_t x_ = nullptr, y_ = nullptr;
    void* buffer_ = nullptr;
    double one_ = 1, zero_ = 0;
};

bench::CgTimes compare(const std::string& file, cusparseHandle_t handle, bool products_only) {
    const Csr<double> host = load_matrix<double>(file);
    bench::CgTimes times{host.rows, host.nnz(), {}, {}};
    if (host.rows != host.cols) return times;
    const DeviceCsr<double, std::int32_t> device(host.view());
    const CsrView<double, std::int32_t> a = device.view();
    const csr_view<double> view{a.rows, a.cols, a.row_ptr, a.col_idx, a.values, host.nnz()};
    Solver solver(a.rows);
    Vector x(static_cast<std::size_t>(a.cols)), y(static_cast<std::size_t>(a.rows));
    const auto with_cusparse = [&]() -> Product {
        auto s = std::make_shared<Cusparse>(handle, a, x.data(), y.data());
        return [s](const double* from, double* to) { s->multiply(from, to); };
    };
    const auto with_sptune = [&]() -> Product {
        return [&](const double* from, double* to) { auto_spmv(view, from, to); };
    };
    bench::take_turns(
        times, [&] { return solver.milliseconds(with_cusparse, products_only); },
        [&] {
            forget(view);
            return solver.milliseconds(with_sptune, products_only);
        });
    return times;
}

}  // namespace

int main(int argc, char** argv) try {
    cusparseHandle_t handle = nullptr;
    require(cusparseCreate(&handle) == CUSPARSE_STATUS_SUCCESS, "cusparseCreate");
    const bool products_only = argc > 1 && std::string_view(argv[1]) == "--products";
    bench::print_cg_table(
        "cuSPARSE CSR", {argv + 1 + products_only, argv + argc},
        [&](const std::string& file) { return compare(file, handle, products_only); });
    cusparseDestroy(handle);
    return 0;
} catch (const std::exception& e) {
    fmt::print(stderr, "cg_gpu: {}\n", e.what());
    return 1;
}
