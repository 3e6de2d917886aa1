/* What the examples in C share on a GPU: a matrix in its memory, cuSPARSE's CSR product to compare
 * with, and cuBLAS for the vectors. */
#ifndef SPTUNE_EXAMPLES_COMMON_GPU_H
#define SPTUNE_EXAMPLES_COMMON_GPU_H

#include "common.h"

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cusparse.h>

/* What ctest takes for a skipped test. */
enum { SKIPPED = 77 };

/* The end of the program where a call of NVIDIA's has failed: all of them return 0 otherwise. */
#define REQUIRE(call) require((int)(call), #call)
static inline void require(int failure, const char* call) {
    if (!failure) return;
    fprintf(stderr, "%s: error %d\n", call, failure);
    exit(1);
}

static cublasHandle_t blas;
static cusparseHandle_t sparse;

/* False, and a word about it, where there is none. */
static inline int start_gpu(void) {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        printf("skipped: no GPU\n");
        return 0;
    }
    REQUIRE(cublasCreate(&blas));
    REQUIRE(cusparseCreate(&sparse));
    return 1;
}

static inline void* on_gpu(const void* from, size_t count, size_t size) {
    void* to = NULL;
    REQUIRE(cudaMalloc(&to, count * size));
    REQUIRE(cudaMemcpy(to, from, count * size, cudaMemcpyHostToDevice));
    return to;
}

/* The same with its arrays in the memory of the GPU; those of `a` are freed. */
static inline matrix move_to_gpu(matrix* a) {
    matrix moved = *a;
    moved.row_ptr = on_gpu(a->row_ptr, (size_t)a->rows + 1, sizeof *a->row_ptr);
    moved.col_idx = on_gpu(a->col_idx, (size_t)a->nnz, sizeof *a->col_idx);
    moved.values = on_gpu(a->values, (size_t)a->nnz, sizeof *a->values);
    free_matrix(a);
    return moved;
}

/* Filled there, twice as much each time: the host would take longer than the solvers do. */
static inline double* gpu_vector(int n, double value) {
    double* v = NULL;
    REQUIRE(cudaMalloc((void**)&v, (size_t)n * sizeof *v));
    REQUIRE(cudaMemcpy(v, &value, sizeof value, cudaMemcpyHostToDevice));
    for (int done = 1; done < n; done *= 2) {
        const size_t more = (size_t)(done < n - done ? done : n - done);
        REQUIRE(cudaMemcpy(v + done, v, more * sizeof *v, cudaMemcpyDeviceToDevice));
    }
    return v;
}

/* y = A x: by sptune where there is a plan, else by cuSPARSE. */
typedef struct product {
    const matrix* A;
    sptune_plan* plan;
    cusparseSpMatDescr_t a;
    cusparseDnVecDescr_t x, y;
    void* buffer;
} product;

static const double zero = 0, one = 1;

static inline product with_cusparse(const matrix* A) {
    const product p = {A, NULL, NULL, NULL, NULL, NULL};
    return p;
}

static inline product with_sptune(const matrix* A, double expected_calls) {
    product p = with_cusparse(A);
    const sptune_csr view = view_of(A);
    sptune_options options;
    sptune_options_init(&options);
    options.expected_calls = expected_calls;
    check(sptune_plan_create(&view, &options, &p.plan));
    return p;
}

/* cuSPARSE's descriptors, which want vectors, and its preprocessing, which holds for new values in
 * the same structure. */
static inline void prepare(product* p, double* x, double* y) {
    const matrix* const A = p->A;
    size_t bytes = 0;
    REQUIRE(cusparseCreateCsr(&p->a, A->rows, A->rows, A->nnz, A->row_ptr, A->col_idx, A->values,
                              CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                              CUDA_R_64F));
    REQUIRE(cusparseCreateDnVec(&p->x, A->rows, x, CUDA_R_64F));
    REQUIRE(cusparseCreateDnVec(&p->y, A->rows, y, CUDA_R_64F));
    REQUIRE(cusparseSpMV_bufferSize(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, p->a, p->x,
                                    &zero, p->y, CUDA_R_64F, CUSPARSE_SPMV_CSR_ALG1, &bytes));
    REQUIRE(cudaMalloc(&p->buffer, bytes ? bytes : 1));
    REQUIRE(cusparseSpMV_preprocess(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, p->a, p->x,
                                    &zero, p->y, CUDA_R_64F, CUSPARSE_SPMV_CSR_ALG1, p->buffer));
}

static inline void apply(product* p, double* x, double* y) {
    if (p->plan) {
        check(sptune_plan_apply(p->plan, 1, x, 0, y, NULL));
        return;
    }
    if (!p->a) prepare(p, x, y);
    REQUIRE(cusparseDnVecSetValues(p->x, x));
    REQUIRE(cusparseDnVecSetValues(p->y, y));
    REQUIRE(cusparseSpMV(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, p->a, p->x, &zero, p->y,
                         CUDA_R_64F, CUSPARSE_SPMV_CSR_ALG1, p->buffer));
}

static inline void destroy(product* p) {
    sptune_plan_destroy(p->plan);
    if (!p->a) return;
    REQUIRE(cusparseDestroySpMat(p->a));
    REQUIRE(cusparseDestroyDnVec(p->x));
    REQUIRE(cusparseDestroyDnVec(p->y));
    REQUIRE(cudaFree(p->buffer));
}

/* When all that was enqueued is done. */
static inline double done_ms(void) {
    REQUIRE(cudaDeviceSynchronize());
    return now_ms();
}

static inline double dot(int n, const double* a, const double* b) {
    double sum = 0;
    REQUIRE(cublasDdot(blas, n, a, 1, b, 1, &sum));
    return sum;
}

/* y = a x + y */
static inline void axpy(int n, double a, const double* x, double* y) {
    REQUIRE(cublasDaxpy(blas, n, &a, x, 1, y, 1));
}

static inline void scale(int n, double a, double* x) {
    REQUIRE(cublasDscal(blas, n, &a, x, 1));
}

/* |a - b| / |a|; overwrites b. */
static inline double relative_error(int n, const double* a, double* b) {
    axpy(n, -1, a, b);
    return sqrt(dot(n, b, b) / dot(n, a, a));
}

#endif
