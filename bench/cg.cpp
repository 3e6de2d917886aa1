// cg [--products] MATRIX...: conjugate gradients on the CPU, 200 iterations whatever the residual
// says, f64, with plain CSR as a program without a library has it, a parallel loop over rows, and
// with auto_spmv. The solvers take turns (cg_table.hpp), auto_spmv as if it had never seen the
// matrix, choosing and converting included; medians. A markdown table, a line for each square
// matrix, and how many of them auto_spmv wins. Without a database: set SPTUNE_DB to an empty
// folder. --products: as many products y = A x instead, one after the other.
#include "cg_table.hpp"
#include "matrix/load.hpp"
#include "sptune/sptune.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <string_view>
#include <vector>

namespace {

using namespace sptune;
using Product = std::function<void(const double* x, double* y)>;
constexpr int kIterations = 200;

void multiply(const Csr<double>& a, const double* x, double* y) {
    const auto v = a.view();
#pragma omp parallel for schedule(static)
    for (index_t i = 0; i < v.rows; ++i) {
        double sum = 0;
        for (auto k = v.row_ptr[i]; k < v.row_ptr[i + 1]; ++k) sum += v.values[k] * x[v.col_idx[k]];
        y[i] = sum;
    }
}

class Solver {
  public:
    explicit Solver(std::size_t n) : n_(n), x_(n), r_(n), p_(n), q_(n) {}

    double milliseconds(const Product& product, bool products_only) {
        std::fill(x_.begin(), x_.end(), 0.0);
        std::fill(r_.begin(), r_.end(), 1.0);
        p_ = r_;
        const auto start = std::chrono::steady_clock::now();
        if (products_only)
            for (int i = 0; i < kIterations; ++i) product(p_.data(), q_.data());
        else
            iterate(product);
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
            .count();
    }

  private:
    void iterate(const Product& product) {
        double rr = dot(r_, r_);
        for (int k = 0; k < kIterations; ++k) {
            product(p_.data(), q_.data());
            const double alpha = safe(rr / dot(p_, q_)), before = rr;
#pragma omp parallel for schedule(static)
            for (std::size_t i = 0; i < n_; ++i) {
                x_[i] += alpha * p_[i];
                r_[i] -= alpha * q_[i];
            }
            rr = dot(r_, r_);
            const double beta = safe(rr / before);
#pragma omp parallel for schedule(static)
            for (std::size_t i = 0; i < n_; ++i) p_[i] = r_[i] + beta * p_[i];
        }
    }

    /// Matrices that are not positive definite get numbers to go on with.
    static double safe(double v) {
        return std::isfinite(v) ? std::clamp(v, -1e3, 1e3) : 0.5;
    }
    double dot(const std::vector<double>& a, const std::vector<double>& b) const {
        double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (std::size_t i = 0; i < n_; ++i) sum += a[i] * b[i];
        return sum;
    }

    std::size_t n_;
    std::vector<double> x_, r_, p_, q_;
};

bench::CgTimes compare(const std::string& file, bool products_only) {
    const Csr<double> a = load_matrix<double>(file);
    bench::CgTimes times{a.rows, a.nnz(), {}, {}};
    if (a.rows != a.cols) return times;
    const auto v = a.view();
    const csr_view<double> view{v.rows, v.cols, v.row_ptr, v.col_idx, v.values, a.nnz()};
    Solver solver(static_cast<std::size_t>(a.rows));
    const Product plain = [&](const double* x, double* y) { multiply(a, x, y); };
    const Product ours = [&](const double* x, double* y) { auto_spmv(view, x, y); };
    bench::take_turns(
        times, [&] { return solver.milliseconds(plain, products_only); },
        [&] {
            forget(view);
            return solver.milliseconds(ours, products_only);
        });
    return times;
}

}  // namespace

int main(int argc, char** argv) {
    const bool products_only = argc > 1 && std::string_view(argv[1]) == "--products";
    bench::print_cg_table("plain CSR", {argv + 1 + products_only, argv + argc},
                          [&](const std::string& file) { return compare(file, products_only); });
}
