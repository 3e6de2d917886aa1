// Conjugate gradients on a GPU: A, x and y lie in its memory, everything else stays as it was.
//     example_cg_gpu [N]: a cube of N³ unknowns
#include "common_gpu.cuh"

#include <string>

template <class Multiply>
Vector solve(int n, const Multiply& multiply, int iterations) {
    Vector x(n, 0.0), r(n, 1.0), p = r, q(n);
    double rr = dot(r, r);
    for (int k = 0; k < iterations && rr > 1e-20; ++k) {
        multiply(p.data().get(), q.data().get());
        const double before = rr;
        const double alpha = rr / dot(p, q);
        thrust::transform(p.begin(), p.end(), x.begin(), x.begin(), Axpy{alpha});
        thrust::transform(q.begin(), q.end(), r.begin(), r.begin(), Axpy{-alpha});
        rr = dot(r, r);
        thrust::transform(p.begin(), p.end(), r.begin(), p.begin(), Axpy{rr / before});
    }
    return x;
}

int main(int argc, char** argv) {
    if (!has_gpu()) return kSkipped;
    const DeviceMatrix a(cube(size_argument(argc, argv, 110, kLargestCube)));
    const sptune::csr_view<double> A = a.view();
    const auto plain_multiply = [&](const double* x, double* y) { plain_csr(a, x, y); };
    // What a process does once is not what the two differ in.
    solve(a.rows, plain_multiply, 3);
    sptune::plan(A).apply(Vector(a.rows).data().get(), Vector(a.rows).data().get());

    constexpr int kIterations = 200;
    Vector plain, automatic, planned;
    const double plain_ms = milliseconds([&] {
        plain = solve(a.rows, plain_multiply, kIterations);
        cudaDeviceSynchronize();
    });
    const double auto_ms = milliseconds([&] {
        automatic = solve(
            a.rows, [&](const double* x, double* y) { sptune::auto_spmv(A, x, y); }, kIterations);
        cudaDeviceSynchronize();
    });
    std::string why;
    const double plan_ms = milliseconds([&] {
        auto plan = sptune::plan(A, {.expected_calls = kIterations});
        planned = solve(
            a.rows, [&](const double* x, double* y) { plan.apply(x, y); }, kIterations);
        cudaDeviceSynchronize();
        why = plan.why();
    });
    sptune::forget(A);
    std::printf("%s\n", why.c_str());
    const int code =
        report("CG on the GPU with auto_spmv", plain_ms, auto_ms, relative_error(plain, automatic));
    return code |
           report("CG on the GPU with a plan", plain_ms, plan_ms, relative_error(plain, planned));
}
