#include <cstdio>
#include <vector>

#include <sptune/sptune.hpp>

int main() {
    const int n = 1000;
    std::vector<int> row_ptr{0}, col_idx;
    std::vector<double> values, x(n, 1.0), y(n, -1.0);
    for (int i = 0; i < n; ++i) {
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < n; ++j) {
            col_idx.push_back(j);
            values.push_back(i == j ? 2.0 : -1.0);
        }
        row_ptr.push_back(static_cast<int>(col_idx.size()));
    }
    const sptune::csr_view<double> A{n, n, row_ptr.data(), col_idx.data(), values.data()};
    sptune::auto_spmv(A, x, y);
    if (y[0] != 1.0 || y[1] != 0.0 || y[n - 1] != 1.0) return 1;

    sptune::plan_options options;
    options.expected_calls = 1000;
    auto plan = sptune::plan(A, options);
    plan.apply(2.0, x.data(), 1.0, y.data());
    if (y[0] != 3.0 || y[n / 2] != 0.0) return 2;
    std::printf("sptune %s: %s\n", sptune::version(), plan.why().c_str());

    // Exceptions cross the border of the library.
    options.error_bound = 1e-30;
    try {
        sptune::plan(A, options);
    } catch (const sptune::error& e) {
        return e.code() == sptune::status::unmet_constraint ? 0 : 3;
    }
    return 4;
}
