#include <sptune/sptune.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1000 };

#define CHECK(call)                                                  \
    do {                                                             \
        if ((call) != SPTUNE_OK) {                                   \
            fprintf(stderr, "%s: %s\n", #call, sptune_last_error()); \
            return 1;                                                \
        }                                                            \
    } while (0)

int main(void) {
    static int64_t row_ptr[N + 1];
    static int32_t col_idx[3 * N];
    static float values[3 * N], x[2 * N], y[2 * N];
    char why[64];
    size_t needed = 0;
    int i, j, k = 0;
    for (i = 0; i < N; ++i) {
        for (j = i > 0 ? i - 1 : 0; j <= i + 1 && j < N; ++j, ++k) {
            col_idx[k] = j;
            values[k] = i == j ? 2.0f : -1.0f;
        }
        row_ptr[i + 1] = k;
    }
    for (i = 0; i < 2 * N; ++i) x[i] = i < N ? 1.0f : 2.0f;
    sptune_csr A = {N, N, row_ptr, col_idx, values, -1, SPTUNE_F32, SPTUNE_I64};
    CHECK(sptune_auto_spmv(&A, 1, x, 0, y, NULL));
    if (y[0] != 1 || y[1] != 0 || y[N - 1] != 1) return 2;
    char text[4096];
    CHECK(sptune_why(&A, text, sizeof text, NULL));
    if (!strstr(text, "is in use")) return fprintf(stderr, "sptune_why says: %s\n", text), 1;
    CHECK(sptune_forget(&A));

    sptune_options options;
    sptune_options_init(&options);
    options.expected_calls = 100;
    sptune_plan* plan = NULL;
    CHECK(sptune_plan_create(&A, &options, &plan));
    CHECK(sptune_plan_apply(plan, 2, x, 1, y, NULL));
    if (y[0] != 3) return 3;
    CHECK(sptune_plan_apply_many(plan, 1, x, N, 0, y, N, 2, NULL));
    if (y[0] != 1 || y[N] != 2 || y[N + 1] != 0) return 4;
    for (i = 0; i < k; ++i) values[i] *= 2;
    CHECK(sptune_plan_update_values(plan, values));
    CHECK(sptune_plan_apply(plan, 1, x, 0, y, NULL));
    if (y[0] != 2) return 5;
    CHECK(sptune_plan_why(plan, why, sizeof why, &needed));
    if (needed <= sizeof why || strlen(why) != sizeof why - 1) return 6;
    printf("sptune %s: %s...\n", sptune_version(), why);
    sptune_plan_destroy(plan);

    /* The square of the tridiagonal matrix has five diagonals. */
    sptune_matrix* C = NULL;
    sptune_csr square;
    CHECK(sptune_auto_spgemm(&A, &A, NULL, &C));
    CHECK(sptune_matrix_view(C, &square));
    if (square.rows != N || square.cols != N || square.nnz != 5 * N - 6) return 11;
    if (square.value != SPTUNE_F32 || square.index != SPTUNE_I64) return 12;
    if (((const int64_t*)square.row_ptr)[1] != 3 || square.col_idx[2] != 2) return 13;
    if (((const float*)square.values)[0] != 20 || ((const float*)square.values)[1] != -16) return 14;
    if (sptune_matrix_location(C) != SPTUNE_CPU || !strstr(sptune_matrix_made_by(C), "spgemm.cpu."))
        return 15;
    CHECK(sptune_matrix_why(C, text, sizeof text, NULL));
    if (!strstr(text, sptune_matrix_made_by(C))) return 19;
    sptune_matrix_destroy(C);
    sptune_spgemm_options product;
    sptune_spgemm_options_init(&product);
    product.memory_bytes = 1000;
    if (sptune_auto_spgemm(&A, &A, &product, &C) != SPTUNE_UNMET_CONSTRAINT || C) return 16;
    square = A;
    square.value = SPTUNE_F64;
    if (sptune_auto_spgemm(&A, &square, NULL, &C) != SPTUNE_INVALID_ARGUMENT) return 17;
    if (!strstr(sptune_last_error(), "value type")) return 18;
    sptune_matrix_destroy(NULL);

    options.error_bound = 1e-30;
    if (sptune_plan_create(&A, &options, &plan) != SPTUNE_UNMET_CONSTRAINT) return 7;
    if (plan || !strstr(sptune_last_error(), "error bound")) return 8;
    A.row_ptr = NULL;
    if (sptune_plan_create(&A, NULL, &plan) != SPTUNE_INVALID_ARGUMENT) return 9;
    if (sptune_plan_create(NULL, NULL, &plan) != SPTUNE_INVALID_ARGUMENT) return 10;
    sptune_plan_destroy(NULL);
    return 0;
}
