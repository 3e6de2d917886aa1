/* Conjugate gradients in C on a GPU: A and all vectors lie in its memory.
 *     example_cg_gpu_c [N]: a cube of N^3 unknowns */
#include "common_gpu.h"

enum { ITERATIONS = 200 };

static double* solve(product* A, int n, int iterations) {
    double *x = gpu_vector(n, 0), *r = gpu_vector(n, 1), *p = gpu_vector(n, 1);
    double *q = gpu_vector(n, 0), rr = dot(n, r, r);
    for (int k = 0; k < iterations && rr > 1e-20; ++k) {
        apply(A, p, q);
        const double alpha = rr / dot(n, p, q), before = rr;
        axpy(n, alpha, p, x);
        axpy(n, -alpha, q, r);
        rr = dot(n, r, r);
        scale(n, rr / before, p);
        axpy(n, 1, r, p);
    }
    cudaFree(r), cudaFree(p), cudaFree(q);
    return x;
}

int main(int argc, char** argv) {
    const int side = size_argument(argc, argv, 110, LARGEST_CUBE);
    if (!start_gpu()) return SKIPPED;
    matrix host = cube(side);
    const matrix A = move_to_gpu(&host);
    /* What a process does once is not what the two differ in. */
    product plain = with_cusparse(&A), tuned = with_sptune(&A, 3);
    cudaFree(solve(&plain, A.rows, 3)), cudaFree(solve(&tuned, A.rows, 3));
    destroy(&plain), destroy(&tuned);

    double start = done_ms();
    plain = with_cusparse(&A);
    double* const x = solve(&plain, A.rows, ITERATIONS);
    const double plain_ms = done_ms() - start;
    destroy(&plain);

    start = done_ms();
    tuned = with_sptune(&A, ITERATIONS);
    double* const y = solve(&tuned, A.rows, ITERATIONS);
    const double tuned_ms = done_ms() - start;
    print_why(tuned.plan);
    destroy(&tuned);
    return report("CG in C on the GPU", "cuSPARSE", plain_ms, tuned_ms,
                  relative_error(A.rows, x, y));
}
