// Diffusion whose coefficients change with the solution: each step has new values in the same
// structure and applies them 60 times.
//     example_time_stepping [N]: a cube of N³ cells
#include "common.hpp"

#include <utility>

namespace {

constexpr int kSteps = 10, kApplies = 60;

/// Values of step `step`: an explicit scheme, stable for a small `rate`.
void set_values(Matrix& a, int step) {
    const double rate = 0.01 / (1 + 0.1 * step);
#pragma omp parallel for schedule(static)
    for (int i = 0; i < a.rows; ++i)
        for (std::int32_t k = a.row_ptr[static_cast<std::size_t>(i)];
             k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
            a.values[static_cast<std::size_t>(k)] =
                a.col_idx[static_cast<std::size_t>(k)] == i ? 1 - 26 * rate : rate;
}

template <class Update, class Multiply>
std::vector<double> march(Matrix& a, const Update& update, const Multiply& multiply) {
    std::vector<double> u(static_cast<std::size_t>(a.rows)), v(u.size());
    for (std::size_t i = 0; i < u.size(); ++i) u[i] = i % 97 == 0;
    for (int step = 0; step < kSteps; ++step) {
        set_values(a, step);
        if (step > 0) update();  // those of the first step were there when the plan was made
        for (int k = 0; k < kApplies; ++k) {
            multiply(u, v);
            std::swap(u, v);
        }
    }
    return u;
}

}  // namespace

int main(int argc, char** argv) {
    Matrix a = cube(size_argument(argc, argv, 100, kLargestCube));
    std::vector<double> plain, tuned;
    const double plain_ms = milliseconds([&] {
        plain = march(
            a, [] {}, [&](const auto& x, auto& y) { plain_csr(a, x.data(), y.data()); });
    });
    const double sptune_ms = milliseconds([&] {
        set_values(a, 0);
        auto plan = sptune::plan(a.view(), {.expected_calls = kApplies});
        tuned = march(
            a, [&] { plan.update_values(a.values.data()); },
            [&](const auto& x, auto& y) { plan.apply(x.data(), y.data()); });
        std::printf("%s\n", plan.why().c_str());
    });
    double difference = 0;
    for (std::size_t i = 0; i < plain.size(); ++i)
        difference = larger(difference, std::abs(plain[i] - tuned[i]));
    return report("time steps with new values", plain_ms, sptune_ms, difference);
}
