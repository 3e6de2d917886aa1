// Diffusion on a GPU whose coefficients change with the solution: each step computes new values in
// the same structure, in the memory of the GPU, and applies them 60 times.
//     example_time_stepping_gpu [N]: a cube of N³ cells
#include "common_gpu.cuh"

#include <string>

constexpr int kSteps = 10, kApplies = 60;

/// Values of a step: an explicit scheme, stable for a small `rate`.
__global__ void set_values(int rows, const int* row_ptr, const int* col_idx, double* values,
                           double rate) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows) return;
    for (int k = row_ptr[i]; k < row_ptr[i + 1]; ++k)
        values[k] = col_idx[k] == i ? 1 - 26 * rate : rate;
}

static void set_values(DeviceMatrix& a, int step) {
    set_values<<<(a.rows + 255) / 256, 256>>>(a.rows, a.row_ptr.data().get(),
                                              a.col_idx.data().get(), a.values.data().get(),
                                              0.01 / (1 + 0.1 * step));
}

template <class Update, class Multiply>
Vector march(DeviceMatrix& a, const Update& update, const Multiply& multiply, int steps) {
    std::vector<double> start(static_cast<std::size_t>(a.rows));
    for (std::size_t i = 0; i < start.size(); ++i) start[i] = i % 97 == 0;
    Vector u = start, v(a.rows);
    for (int step = 0; step < steps; ++step) {
        set_values(a, step);
        if (step > 0) update();  // those of the first step were there when the plan was made
        for (int k = 0; k < kApplies; ++k) {
            multiply(u.data().get(), v.data().get());
            u.swap(v);
        }
    }
    return u;
}

int main(int argc, char** argv) {
    if (!has_gpu()) return kSkipped;
    DeviceMatrix a(cube(size_argument(argc, argv, 110, kLargestCube)));
    const auto plain_multiply = [&](const double* x, double* y) { plain_csr(a, x, y); };
    // What a process does once is not what the two differ in.
    march(
        a, [] {}, plain_multiply, 1);
    sptune::plan(a.view()).apply(Vector(a.rows).data().get(), Vector(a.rows).data().get());

    Vector plain, tuned;
    const double plain_ms = milliseconds([&] {
        plain = march(
            a, [] {}, plain_multiply, kSteps);
        cudaDeviceSynchronize();
    });
    std::string why;
    const double sptune_ms = milliseconds([&] {
        set_values(a, 0);
        auto plan = sptune::plan(a.view(), {.expected_calls = kApplies});
        tuned = march(
            a, [&] { plan.update_values(a.values.data().get()); },
            [&](const double* x, double* y) { plan.apply(x, y); }, kSteps);
        cudaDeviceSynchronize();
        why = plan.why();
    });
    std::printf("%s\n", why.c_str());
    return report("time steps with new values on the GPU", plain_ms, sptune_ms,
                  relative_error(plain, tuned));
}
