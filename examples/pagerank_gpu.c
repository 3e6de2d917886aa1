/* PageRank in C on a GPU: the matrix and the ranks lie in its memory.
 *     example_pagerank_gpu_c [N]: N^3 pages */
#include "common_gpu.h"
#include "web.h"

enum { ITERATIONS = 100, EXPECTED = 60 };

static double* rank(product* links, int pages, int iterations) {
    double *x = gpu_vector(pages, 1.0 / pages), *y = gpu_vector(pages, 0);
    double *base = gpu_vector(pages, 0.15 / pages), change;
    for (int k = 0; k < iterations; ++k) {
        apply(links, x, y);
        scale(pages, 0.85, y);
        axpy(pages, 1, base, y);
        axpy(pages, -1, y, x);
        REQUIRE(cublasDasum(blas, pages, x, 1, &change));
        swap(&x, &y);
        if (change < 1e-12) break;
    }
    cudaFree(y), cudaFree(base);
    return x;
}

int main(int argc, char** argv) {
    const int n = size_argument(argc, argv, 150, LARGEST_WEB);
    if (!start_gpu()) return SKIPPED;
    /* Both get the links as they point to the pages: transposing is the host's work here. */
    matrix links = web(n * n * n), host = transposed(&links);
    free_matrix(&links);
    const matrix A = move_to_gpu(&host);
    /* What a process does once is not what the two differ in. */
    product plain = with_cusparse(&A), tuned = with_sptune(&A, 3);
    cudaFree(rank(&plain, A.rows, 3)), cudaFree(rank(&tuned, A.rows, 3));
    destroy(&plain), destroy(&tuned);

    double start = done_ms();
    plain = with_cusparse(&A);
    double* const x = rank(&plain, A.rows, ITERATIONS);
    const double plain_ms = done_ms() - start;
    destroy(&plain);

    start = done_ms();
    tuned = with_sptune(&A, EXPECTED);
    double* const y = rank(&tuned, A.rows, ITERATIONS);
    const double tuned_ms = done_ms() - start;
    print_why(tuned.plan);
    destroy(&tuned);
    return report("PageRank in C on the GPU", "cuSPARSE", plain_ms, tuned_ms,
                  relative_error(A.rows, x, y));
}
