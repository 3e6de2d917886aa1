// What the examples on a GPU share: a matrix in its memory and a plain CSR product to compare with.
#pragma once

#include "common.hpp"

#include <cuda_runtime.h>
#include <thrust/device_vector.h>
#include <thrust/inner_product.h>
#include <thrust/transform.h>

using Vector = thrust::device_vector<double>;

/// What ctest takes for a skipped test.
constexpr int kSkipped = 77;

/// Says so where there is none.
inline bool has_gpu() {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0) return true;
    std::printf("skipped: no GPU\n");
    return false;
}

struct DeviceMatrix {
    int rows = 0;
    thrust::device_vector<int> row_ptr, col_idx;
    Vector values;

    explicit DeviceMatrix(const Matrix& a)
        : rows(a.rows), row_ptr(a.row_ptr), col_idx(a.col_idx), values(a.values) {}
    sptune::csr_view<double> view() const {
        return {rows,
                rows,
                row_ptr.data().get(),
                col_idx.data().get(),
                values.data().get(),
                static_cast<std::int32_t>(values.size())};
    }
};

/// Plain CSR: a few threads for each row.
__global__ void csr_kernel(int rows, const int* row_ptr, const int* col_idx, const double* values,
                           const double* x, double* y) {
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = threadIdx.x % 8;
    double sum = 0;
    if (i < rows)
        for (int k = row_ptr[i] + lane; k < row_ptr[i + 1]; k += 8)
            sum += values[k] * x[col_idx[k]];
    for (int d = 4; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d, 8);
    if (i < rows && lane == 0) y[i] = sum;
}

inline void plain_csr(const DeviceMatrix& a, const double* x, double* y) {
    csr_kernel<<<(8 * a.rows + 255) / 256, 256>>>(
        a.rows, a.row_ptr.data().get(), a.col_idx.data().get(), a.values.data().get(), x, y);
}

struct Axpy {
    double a;
    __host__ __device__ double operator()(double x, double y) const { return a * x + y; }
};

inline double dot(const Vector& a, const Vector& b) {
    return thrust::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// |a - b| / |a|
inline double relative_error(const Vector& a, const Vector& b) {
    Vector d(a.size());
    thrust::transform(a.begin(), a.end(), b.begin(), d.begin(), Axpy{-1});
    return std::sqrt(dot(d, d) / dot(a, a));
}
