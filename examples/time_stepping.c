/* Diffusion in C whose coefficients change with the solution: each step has new values in the same
 * structure and applies them 60 times.
 *     example_time_stepping_c [N]: a cube of N^3 cells */
#include "common.h"

enum { STEPS = 10, APPLIES = 60 };

/* Values of a step: an explicit scheme, stable for a small rate. */
static void set_values(matrix* a, int step) {
    const double rate = 0.01 / (1 + 0.1 * step);
    for (int i = 0; i < a->rows; ++i)
        for (int32_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; ++k)
            a->values[k] = a->col_idx[k] == i ? 1 - 26 * rate : rate;
}

/* plan may be NULL. */
static double* march(matrix* a, sptune_plan* plan) {
    double *u = vector(a->rows), *v = vector(a->rows);
    for (int i = 0; i < a->rows; ++i) u[i] = i % 97 == 0;
    for (int step = 0; step < STEPS; ++step) {
        set_values(a, step);
        /* Those of the first step were there when the plan was made. */
        if (plan && step > 0) check(sptune_plan_update_values(plan, a->values));
        for (int k = 0; k < APPLIES; ++k) {
            multiply(a, plan, u, v);
            swap(&u, &v);
        }
    }
    free(v);
    return u;
}

int main(int argc, char** argv) {
    matrix a = cube(size_argument(argc, argv, 100, LARGEST_CUBE));
    const sptune_csr view = view_of(&a);
    double start = now_ms(), difference = 0;
    double* const plain = march(&a, NULL);
    const double plain_ms = now_ms() - start;

    start = now_ms();
    set_values(&a, 0);
    sptune_options options;
    sptune_options_init(&options);
    options.expected_calls = APPLIES;
    options.threads = 1; /* as the loop */
    sptune_plan* plan;
    check(sptune_plan_create(&view, &options, &plan));
    double* const tuned = march(&a, plan);
    const double tuned_ms = now_ms() - start;
    print_why(plan);
    sptune_plan_destroy(plan);

    for (int i = 0; i < a.rows; ++i) difference = larger(difference, fabs(plain[i] - tuned[i]));
    free(plain), free(tuned);
    free_matrix(&a);
    return report("time steps with new values in C", "plain CSR", plain_ms, tuned_ms, difference);
}
