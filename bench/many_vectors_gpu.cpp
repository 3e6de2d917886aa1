// many_vectors_gpu MATRIX...: several vectors at once on the GPU, f32 and f64. Row by row: sptune
// and the best of cuSPARSE's SpMM algorithms; one after another: a plan that has
// settled, and the best of cuSPARSE's. Microseconds for each vector, medians. What sptune's rows
// give is compared with cuSPARSE's.
#include "bench/medians.hpp"
#include "matrix/cuda/device_csr.hpp"
#include "matrix/load.hpp"
#include "sptune/sptune.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include <cusparse.h>
#include <fmt/format.h>

namespace {

using namespace sptune;

void require(bool holds, const char* what) {
    if (!holds) throw Error(fmt::format("{} failed", what));
}

template <class T>
class Cusparse {
  public:
    explicit Cusparse(CsrView<T, std::int32_t> a) : cols_(a.cols), rows_(a.rows) {
        require(cusparseCreate(&handle_) == CUSPARSE_STATUS_SUCCESS, "cusparseCreate");
        require(cusparseCreateCsr(&a_, a.rows, a.cols, a.nnz(), const_cast<int*>(a.row_ptr),
                                  const_cast<int*>(a.col_idx), const_cast<T*>(a.values),
                                  CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                  kType) == CUSPARSE_STATUS_SUCCESS,
                "cusparseCreateCsr");
    }
    /// The least of its algorithms, in microseconds; infinite where none works.
    double best_us(T* x, T* y, int count, cusparseOrder_t order) {
        const bool rows = order == CUSPARSE_ORDER_ROW;
        cusparseDnMatDescr_t dx{}, dy{};
        require(cusparseCreateDnMat(&dx, cols_, count, rows ? count : cols_, x, kType, order) ==
                        CUSPARSE_STATUS_SUCCESS &&
                    cusparseCreateDnMat(&dy, rows_, count, rows ? count : rows_, y, kType, order) ==
                        CUSPARSE_STATUS_SUCCESS,
                "cusparseCreateDnMat");
        double best = std::numeric_limits<double>::infinity();
        for (const auto algorithm : {CUSPARSE_SPMM_ALG_DEFAULT, CUSPARSE_SPMM_CSR_ALG1,
                                     CUSPARSE_SPMM_CSR_ALG2, CUSPARSE_SPMM_CSR_ALG3}) {
            std::size_t bytes = 0;
            if (cusparseSpMM_bufferSize(handle_, kNormal, kNormal, &one_, a_, dx, &zero_, dy, kType,
                                        algorithm, &bytes) != CUSPARSE_STATUS_SUCCESS)
                continue;
            DeviceBuffer<char> buffer(std::max<std::size_t>(bytes, 1));
            static_cast<void>(cusparseSpMM_preprocess(handle_, kNormal, kNormal, &one_, a_, dx,
                                                      &zero_, dy, kType, algorithm, buffer.data()));
            const auto call = [&] {
                return cusparseSpMM(handle_, kNormal, kNormal, &one_, a_, dx, &zero_, dy, kType,
                                    algorithm, buffer.data());
            };
            if (call() != CUSPARSE_STATUS_SUCCESS) continue;
            best =
                std::min(best, 1e3 * bench::device_ms([] {}, [&] { static_cast<void>(call()); }));
        }
        cusparseDestroyDnMat(dx), cusparseDestroyDnMat(dy);
        return best;
    }
    ~Cusparse() { cusparseDestroySpMat(a_), cusparseDestroy(handle_); }
    Cusparse(const Cusparse&) = delete;
    Cusparse& operator=(const Cusparse&) = delete;

  private:
    static constexpr cudaDataType kType = sizeof(T) == 8 ? CUDA_R_64F : CUDA_R_32F;
    static constexpr auto kNormal = CUSPARSE_OPERATION_NON_TRANSPOSE;
    std::int64_t cols_, rows_;
    cusparseHandle_t handle_{};
    cusparseSpMatDescr_t a_{};
    T one_ = 1, zero_ = 0;
};

template <class T>
void measure(const std::string& path) {
    const Csr<T> host = load_matrix<T, std::int32_t>(path);
    const DeviceCsr<T, std::int32_t> a(host.view());
    const auto rows = static_cast<std::size_t>(a.rows), cols = static_cast<std::size_t>(a.cols);
    plan_options options;
    options.expected_calls = 1e5;
    auto plan = sptune::plan(
        csr_view<T>{a.rows, a.cols, a.row_ptr.data(), a.col_idx.data(), a.values.data(), a.entries},
        options);
    constexpr std::size_t kMost = 64;
    Buffer<T> values(cols * kMost);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<T>(std::sin(0.7 * static_cast<double>(i % 9973)));
    const DeviceBuffer<T> x(values);
    DeviceBuffer<T> y(rows * kMost), z(rows * kMost);
    for (int call = 0; call < 2000 && !plan.selection().settled; ++call)
        plan.apply(x.data(), y.data());
    Cusparse<T> vendor(a.view());
    for (const std::size_t count : {2, 4, 8, 16, 32, 64}) {
        const auto ours = [&] {
            plan.apply_many_rows(1, x.data(), count, 0, y.data(), count, count);
        };
        const auto each = static_cast<double>(count);
        const double rows_us = 1e3 * bench::device_ms([] {}, ours) / each;
        auto* const given = const_cast<T*>(x.data());
        const int n = static_cast<int>(count);
        const double vendor_rows_us = vendor.best_us(given, z.data(), n, CUSPARSE_ORDER_ROW) / each;
        const Buffer<T> mine = y.to_host(), theirs = z.to_host();
        double apart = 0;
        for (std::size_t i = 0; i < rows * count; ++i)
            apart =
                std::max(apart, std::abs(double(mine[i]) - theirs[i]) / (1 + std::abs(theirs[i])));
        const auto columns = [&] { plan.apply_many(1, x.data(), cols, 0, y.data(), rows, count); };
        for (int call = 0; call < 10; ++call) columns();  // until it has found its way
        const double columns_us = 1e3 * bench::device_ms([] {}, columns) / each;
        const double vendor_us = vendor.best_us(given, z.data(), n, CUSPARSE_ORDER_COL) / each;
        fmt::print(
            "| {} | {} | {} | {:.1f} | {:.1f} | {:.2f} | {:.1f} | {:.1f} | {:.2f} | {:.0e} |\n",
            std::filesystem::path(path).stem().string(), sizeof(T) == 8 ? "f64" : "f32", count,
            rows_us, vendor_rows_us, vendor_rows_us / rows_us, columns_us, vendor_us,
            vendor_us / columns_us, apart);
        std::fflush(stdout);
    }
}

}  // namespace

int main(int argc, char** argv) {
    fmt::print(
        "| matrix | | vectors | row by row | cuSPARSE | | one after another | cuSPARSE | | "
        "apart |\n|---|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
    try {
        for (int i = 1; i < argc; ++i) measure<float>(argv[i]), measure<double>(argv[i]);
    } catch (const std::exception& e) {
        fmt::print(stderr, "many_vectors_gpu: {}\n", e.what());
        return 1;
    }
}
