/* What the examples in C share: matrices, a plain CSR product to compare with, and a clock. All of
 * them run on one thread. Include it before all else. */
#ifndef SPTUNE_EXAMPLES_COMMON_H
#define SPTUNE_EXAMPLES_COMMON_H
#define _POSIX_C_SOURCE 199309L

#include <math.h>
#include <sptune/sptune.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct matrix {
    int rows;
    int32_t nnz;
    int32_t *row_ptr, *col_idx;
    double* values;
} matrix;

static inline sptune_csr view_of(const matrix* a) {
    const sptune_csr view = {a->rows,   a->rows, a->row_ptr, a->col_idx,
                             a->values, a->nnz,  SPTUNE_F64, SPTUNE_I32};
    return view;
}

/* calloc() or the end of the program. */
static inline void* memory(size_t count, size_t size) {
    void* p = calloc(count, size);
    if (p) return p;
    fprintf(stderr, "not enough memory\n");
    exit(1);
}

static inline double* vector(int n) {
    return memory((size_t)n, sizeof(double));
}

/* No entries yet, but room for so many. */
static inline matrix room_for(int rows, size_t entries) {
    matrix a = {rows, 0, NULL, NULL, NULL};
    a.row_ptr = memory((size_t)rows + 1, sizeof *a.row_ptr);
    a.col_idx = memory(entries, sizeof *a.col_idx);
    a.values = memory(entries, sizeof *a.values);
    return a;
}

static inline void free_matrix(matrix* a) {
    free(a->row_ptr), free(a->col_idx), free(a->values);
}

/* Rows are filled one after the other. */
static inline void add(matrix* a, int column, double value) {
    a->col_idx[a->nnz] = column;
    a->values[a->nnz++] = value;
}

/* 32 bits count the entries of a cube of this side. */
enum { LARGEST_CUBE = 430 };

/* n x n x n cells, each coupled with its 26 neighbours; positive definite. */
static inline matrix cube(int n) {
    matrix a = room_for(n * n * n, 27 * (size_t)(n * n * n));
    int row = 0;
    for (int z = 0; z < n; ++z)
        for (int y = 0; y < n; ++y)
            for (int x = 0; x < n; ++x, a.row_ptr[++row] = a.nnz)
                for (int k = -1; k <= 1; ++k)
                    for (int j = -1; j <= 1; ++j)
                        for (int i = -1; i <= 1; ++i) {
                            const int inside = x + i >= 0 && x + i < n && y + j >= 0 && y + j < n &&
                                               z + k >= 0 && z + k < n;
                            if (inside) add(&a, row + (k * n + j) * n + i, i || j || k ? -1 : 26.5);
                        }
    return a;
}

/* Without sptune: a loop over rows. */
static inline void plain_csr(const matrix* a, const double* x, double* y) {
    for (int i = 0; i < a->rows; ++i) {
        double sum = 0;
        for (int32_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; ++k)
            sum += a->values[k] * x[a->col_idx[k]];
        y[i] = sum;
    }
}

/* The end of the program where a call of sptune's has failed. */
static inline void check(sptune_status status) {
    if (status == SPTUNE_OK) return;
    fprintf(stderr, "%s\n", sptune_last_error());
    exit(1);
}

/* y = A x with the plan, by the loop above where that is NULL. */
static inline void multiply(const matrix* a, sptune_plan* plan, const double* x, double* y) {
    if (plan)
        check(sptune_plan_apply(plan, 1, x, 0, y, NULL));
    else
        plain_csr(a, x, y);
}

static inline void print_why(const sptune_plan* plan) {
    char text[4096];
    check(sptune_plan_why(plan, text, sizeof text, NULL));
    printf("%s\n", text);
}

static inline void swap(double** x, double** y) {
    double* const kept = *x;
    *x = *y;
    *y = kept;
}

static inline double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* Ends the program where argv asks for no size that fits. */
static inline int size_argument(int argc, char** argv, int otherwise, int most) {
    char* end = NULL;
    const long size = argc > 1 ? strtol(argv[1], &end, 10) : otherwise;
    if (size >= 1 && size <= most && (!end || (end != argv[1] && !*end))) return (int)size;
    fprintf(stderr, "%s: expected a size from 1 to %d, not \"%s\"\n", argv[0], most, argv[1]);
    exit(2);
}

/* The larger of two differences; unlike fmax(), what is not a number is larger than all. */
static inline double larger(double a, double b) {
    return isnan(a) || b <= a ? a : b;
}

/* Prints both times, the first of `plain`; the exit code says whether both found the same. */
static inline int report(const char* what, const char* plain, double plain_ms, double sptune_ms,
                         double difference) {
    printf("%s: %s %.1f ms, sptune %.1f ms with everything included: %.2fx\n", what, plain,
           plain_ms, sptune_ms, plain_ms / sptune_ms);
    if (difference < 1e-6) return 0;
    printf("the results differ by %g\n", difference);
    return 1;
}

#endif
