// PageRank on a GPU: the matrix and the ranks lie in its memory.
//     example_pagerank_gpu [N]: N³ pages
#include "common_gpu.cuh"
#include "web.hpp"

#include <string>

#include <thrust/functional.h>

struct Damp {
    double base;
    __host__ __device__ double operator()(double y) const { return 0.85 * y + base; }
};

struct Distance {
    __host__ __device__ double operator()(double x, double y) const { return fabs(x - y); }
};

template <class Multiply>
Vector rank(int pages, const Multiply& multiply, int iterations) {
    Vector x(pages, 1.0 / pages), y(pages);
    for (int k = 0; k < iterations; ++k) {
        multiply(x.data().get(), y.data().get());
        thrust::transform(y.begin(), y.end(), y.begin(), Damp{0.15 / pages});
        const double change = thrust::inner_product(x.begin(), x.end(), y.begin(), 0.0,
                                                    thrust::plus<double>(), Distance());
        x.swap(y);
        if (change < 1e-12) break;
    }
    return x;
}

int main(int argc, char** argv) {
    if (!has_gpu()) return kSkipped;
    // Both get the links as they point to the pages: transposing is the host's work here.
    const int n = size_argument(argc, argv, 150, kLargestWeb);
    const DeviceMatrix links(transposed(web(n * n * n)));
    const auto plain_multiply = [&](const double* x, double* y) { plain_csr(links, x, y); };
    // What a process does once is not what the two differ in.
    rank(links.rows, plain_multiply, 3);
    sptune::plan(links.view())
        .apply(Vector(links.rows).data().get(), Vector(links.rows).data().get());

    constexpr int kIterations = 100;
    Vector plain, tuned;
    const double plain_ms = milliseconds([&] {
        plain = rank(links.rows, plain_multiply, kIterations);
        cudaDeviceSynchronize();
    });
    std::string why;
    const double sptune_ms = milliseconds([&] {
        auto plan = sptune::plan(links.view(), {.expected_calls = 60});
        tuned = rank(
            links.rows, [&](const double* x, double* y) { plan.apply(x, y); }, kIterations);
        cudaDeviceSynchronize();
        why = plan.why();
    });
    std::printf("%s\n", why.c_str());
    return report("PageRank on the GPU", plain_ms, sptune_ms, relative_error(plain, tuned));
}
