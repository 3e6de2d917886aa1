/* Diffusion in C on a GPU whose coefficients change with the solution: each step computes new
 * values in the same structure, in the memory of the GPU, and applies them 60 times.
 *     example_time_stepping_gpu_c [N]: a cube of N^3 cells */
#include "common_gpu.h"

enum { STEPS = 10, APPLIES = 60 };

/* Where the diagonal is among the entries of a matrix on the host: 1, elsewhere 0. */
static double* diagonal_of(const matrix* a) {
    double* const is_diagonal = vector(a->nnz);
    for (int i = 0; i < a->rows; ++i)
        for (int32_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; ++k)
            is_diagonal[k] = a->col_idx[k] == i;
    double* const there = on_gpu(is_diagonal, (size_t)a->nnz, sizeof *is_diagonal);
    free(is_diagonal);
    return there;
}

/* Values of a step: an explicit scheme, stable for a small rate. */
static void set_values(const matrix* a, const double* diagonal, const double* ones, int step) {
    const double rate = 0.01 / (1 + 0.1 * step);
    REQUIRE(cublasDcopy(blas, a->nnz, ones, 1, a->values, 1));
    scale(a->nnz, rate, a->values);
    axpy(a->nnz, 1 - 27 * rate, diagonal, a->values);
}

static double* march(product* A, const double* diagonal, const double* ones, int steps) {
    const int n = A->A->rows;
    double *start = vector(n), *v = gpu_vector(n, 0);
    for (int i = 0; i < n; ++i) start[i] = i % 97 == 0;
    double* u = on_gpu(start, (size_t)n, sizeof *start);
    free(start);
    for (int step = 0; step < steps; ++step) {
        set_values(A->A, diagonal, ones, step);
        /* Those of the first step were there when the plan was made. */
        if (A->plan && step > 0) check(sptune_plan_update_values(A->plan, A->A->values));
        for (int k = 0; k < APPLIES; ++k) {
            apply(A, u, v);
            swap(&u, &v);
        }
    }
    cudaFree(v);
    return u;
}

int main(int argc, char** argv) {
    const int side = size_argument(argc, argv, 110, LARGEST_CUBE);
    if (!start_gpu()) return SKIPPED;
    matrix host = cube(side);
    double *diagonal = diagonal_of(&host), *ones = gpu_vector(host.nnz, 1);
    const matrix A = move_to_gpu(&host);
    set_values(&A, diagonal, ones, 0);
    /* What a process does once is not what the two differ in. */
    product plain = with_cusparse(&A), tuned = with_sptune(&A, 3);
    cudaFree(march(&plain, diagonal, ones, 1)), cudaFree(march(&tuned, diagonal, ones, 1));
    destroy(&plain), destroy(&tuned);

    double start = done_ms();
    plain = with_cusparse(&A);
    double* const x = march(&plain, diagonal, ones, STEPS);
    const double plain_ms = done_ms() - start;
    destroy(&plain);

    start = done_ms();
    set_values(&A, diagonal, ones, 0);
    tuned = with_sptune(&A, APPLIES);
    double* const y = march(&tuned, diagonal, ones, STEPS);
    const double tuned_ms = done_ms() - start;
    print_why(tuned.plan);
    destroy(&tuned);
    return report("time steps with new values in C on the GPU", "cuSPARSE", plain_ms, tuned_ms,
                  relative_error(A.rows, x, y));
}
