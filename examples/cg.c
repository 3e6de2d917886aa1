/* Conjugate gradients in C, on an N x N grid.
 *     example_cg_c [N] */
#include "common.h"

static double dot(const double* a, const double* b, int n) {
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

/* plan may be NULL. Returns the sum of the solution. */
static double solve(const matrix* A, sptune_plan* plan) {
    const int n = A->rows;
    double *x = vector(n), *r = vector(n), *p = vector(n), *q = vector(n), sum = 0;
    for (int i = 0; i < n; ++i) p[i] = r[i] = 1;
    double rr = dot(r, r, n);
    for (int k = 0; k < 500 && rr > 1e-20; ++k) {
        multiply(A, plan, p, q);
        const double alpha = rr / dot(p, q, n), before = rr;
        for (int i = 0; i < n; ++i) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        rr = dot(r, r, n);
        for (int i = 0; i < n; ++i) p[i] = r[i] + rr / before * p[i];
    }
    for (int i = 0; i < n; ++i) sum += x[i];
    free(x), free(r), free(p), free(q);
    return sum;
}

/* side x side points, each coupled with its four neighbours. */
static matrix grid(int side) {
    const int n = side * side, steps[5] = {-side, -1, 0, 1, side};
    matrix a = room_for(n, 5 * (size_t)n);
    for (int i = 0; i < n; a.row_ptr[++i] = a.nnz)
        for (int d = 0; d < 5; ++d) {
            const int j = i + steps[d], same_line = j / side == i / side;
            if (j < 0 || j >= n || (abs(steps[d]) == 1 && !same_line)) continue;
            add(&a, j, steps[d] == 0 ? 4.01 : -1);
        }
    return a;
}

int main(int argc, char** argv) {
    matrix A = grid(size_argument(argc, argv, 700, 5000));
    const sptune_csr view = view_of(&A);
    double start = now_ms();
    const double plain = solve(&A, NULL), plain_ms = now_ms() - start;

    start = now_ms();
    sptune_options options;
    sptune_options_init(&options);
    options.expected_calls = 500;
    options.threads = 1; /* as the loop */
    sptune_plan* plan;
    check(sptune_plan_create(&view, &options, &plan));
    const double tuned = solve(&A, plan), tuned_ms = now_ms() - start;
    print_why(plan);
    sptune_plan_destroy(plan);
    free_matrix(&A);
    return report("CG in C", "plain CSR", plain_ms, tuned_ms, fabs(plain - tuned) / fabs(plain));
}
