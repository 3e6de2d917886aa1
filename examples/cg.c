/* Conjugate gradients in C, on an N x N grid.
 *     example_cg_c [N] */
#define _POSIX_C_SOURCE 199309L

#include <math.h>
#include <sptune/sptune.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static double dot(const double* a, const double* b, int n) {
    double sum = 0;
    int i;
    for (i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

/* Without sptune: a loop over rows. */
static void plain_csr(const sptune_csr* A, const double* x, double* y) {
    const int32_t* row_ptr = A->row_ptr;
    const double* values = A->values;
    int i;
    for (i = 0; i < A->rows; ++i) {
        double sum = 0;
        int32_t k;
        for (k = row_ptr[i]; k < row_ptr[i + 1]; ++k) sum += values[k] * x[A->col_idx[k]];
        y[i] = sum;
    }
}

/* calloc() or the end of the program. */
static void* memory(size_t count, size_t size) {
    void* p = calloc(count, size);
    if (p) return p;
    fprintf(stderr, "not enough memory\n");
    exit(1);
}

/* plan may be NULL. Returns the sum of the solution. */
static double solve(const sptune_csr* A, sptune_plan* plan) {
    const int n = A->rows;
    double* work = memory(4 * (size_t)n, sizeof *work);
    double *x = work, *r = x + n, *p = r + n, *q = p + n, rr, sum = 0;
    int i, k;
    for (i = 0; i < n; ++i) p[i] = r[i] = 1;
    rr = dot(r, r, n);
    for (k = 0; k < 500 && rr > 1e-20; ++k) {
        const double before = rr;
        double alpha;
        if (!plan)
            plain_csr(A, p, q);
        else if (sptune_plan_apply(plan, 1, p, 0, q, NULL) != SPTUNE_OK) {
            fprintf(stderr, "%s\n", sptune_last_error());
            exit(1);
        }
        alpha = rr / dot(p, q, n);
        for (i = 0; i < n; ++i) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        rr = dot(r, r, n);
        for (i = 0; i < n; ++i) p[i] = r[i] + rr / before * p[i];
    }
    for (i = 0; i < n; ++i) sum += x[i];
    free(work);
    return sum;
}

/* The grid has side x side points; ends the program where argv asks for none that fits. */
static int side_of(int argc, char** argv) {
    char* end = NULL;
    const long side = argc > 1 ? strtol(argv[1], &end, 10) : 700;
    if (side >= 1 && side <= 5000 && (!end || (end != argv[1] && !*end))) return (int)side;
    fprintf(stderr, "%s: expected a size from 1 to 5000, not \"%s\"\n", argv[0], argv[1]);
    exit(2);
}

int main(int argc, char** argv) {
    const int side = side_of(argc, argv), n = side * side;
    int32_t* row_ptr = memory((size_t)n + 1, sizeof *row_ptr);
    int32_t* col_idx = memory(5 * (size_t)n, sizeof *col_idx);
    double* values = memory(5 * (size_t)n, sizeof *values);
    int i, d;
    int32_t k = 0;
    for (i = 0; i < n; ++i) {
        const int steps[5] = {-side, -1, 0, 1, side};
        for (d = 0; d < 5; ++d) {
            const int j = i + steps[d], same_line = j / side == i / side;
            if (j < 0 || j >= n || (abs(steps[d]) == 1 && !same_line)) continue;
            col_idx[k] = j;
            values[k++] = steps[d] == 0 ? 4.01 : -1;
        }
        row_ptr[i + 1] = k;
    }
    {
        const sptune_csr A = {n, n, row_ptr, col_idx, values, k, SPTUNE_F64, SPTUNE_I32};
        double start = now_ms(), plain_ms, plain, tuned;
        sptune_options options;
        sptune_plan* plan;
        plain = solve(&A, NULL);
        plain_ms = now_ms() - start;

        start = now_ms();
        sptune_options_init(&options);
        options.expected_calls = 500;
        options.threads = 1; /* as the loop above */
        if (sptune_plan_create(&A, &options, &plan) != SPTUNE_OK) {
            fprintf(stderr, "%s\n", sptune_last_error());
            return 1;
        }
        tuned = solve(&A, plan);
        sptune_plan_destroy(plan);
        printf("CG in C: plain CSR %.1f ms, sptune %.1f ms with everything included\n", plain_ms,
               now_ms() - start);
        free(row_ptr), free(col_idx), free(values);
        return fabs(plain - tuned) <= 1e-6 * fabs(plain) ? 0 : 1;
    }
}
