/* PageRank of a made-up web of N^3 pages in C: the iteration multiplies with the transpose of its
 * links.
 *     example_pagerank_c [N] */
#include "common.h"
#include "web.h"

/* With t, the transpose, or with a plan of it, where that is not NULL. */
static double* rank(const matrix* t, sptune_plan* plan, int pages) {
    double *x = vector(pages), *y = vector(pages);
    for (int i = 0; i < pages; ++i) x[i] = 1.0 / pages;
    for (int k = 0; k < 100; ++k) {
        double change = 0;
        multiply(t, plan, x, y);
        for (int i = 0; i < pages; ++i) {
            y[i] = 0.85 * y[i] + 0.15 / pages;
            change += fabs(y[i] - x[i]);
        }
        swap(&x, &y);
        if (change < 1e-12) break;
    }
    free(y);
    return x;
}

int main(int argc, char** argv) {
    const int n = size_argument(argc, argv, 100, LARGEST_WEB), pages = n * n * n;
    matrix links = web(pages);
    const sptune_csr view = view_of(&links);
    double start = now_ms(), difference = 0;
    matrix t = transposed(&links);
    double* const plain = rank(&t, NULL, pages);
    const double plain_ms = now_ms() - start;
    free_matrix(&t);

    start = now_ms();
    sptune_options options;
    sptune_options_init(&options);
    options.expected_calls = 60;
    options.transposed = 1;
    options.threads = 1; /* as the loop */
    sptune_plan* plan;
    check(sptune_plan_create(&view, &options, &plan));
    double* const tuned = rank(NULL, plan, pages);
    const double tuned_ms = now_ms() - start;
    print_why(plan);
    sptune_plan_destroy(plan);

    for (int i = 0; i < pages; ++i)
        difference = larger(difference, fabs(plain[i] - tuned[i]) / plain[i]);
    free(plain), free(tuned);
    free_matrix(&links);
    return report("PageRank in C, transposition included", "plain CSR", plain_ms, tuned_ms,
                  difference);
}
