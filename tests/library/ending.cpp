// A program that goes on while it ends: with `thread` another thread multiplies while main()
// returns, with `destructor` that of a global does. Exits with 0 where all that came out is right.
#include "tests/library/stencil.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

using Matrix = sptune_test::Matrix<double, int>;

[[noreturn]] void fail(const char* what) {
    std::fprintf(stderr, "wrong: %s\n", what);
    std::_Exit(1);
}

void expect_product(const Matrix& m, const std::vector<double>& x, const std::vector<double>& y,
                    const char* what) {
    const std::vector<double> right = m.times(1, x, 0, y);
    for (std::size_t i = 0; i < right.size(); ++i)
        if (!(std::abs(right[i] - y[i]) < 1e-9)) fail(what);
}

void multiply(const Matrix& m, int times) {
    const auto x = sptune_test::wavy<double>(static_cast<std::size_t>(m.cols));
    std::vector<double> y(static_cast<std::size_t>(m.rows));
    for (int call = 0; call < times; ++call) sptune::auto_spmv(m.view(), x.data(), y.data());
    expect_product(m, x, y, "auto_spmv");
}

/// Made before all that sptune keeps, and so destroyed after it.
struct Global {
    Matrix known{5000}, met_late{3000};
    bool use = false;

    ~Global() {
        if (!use) {  // the other thread may go on for a while
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            return;
        }
        multiply(known, 10);
        multiply(met_late, 300);
        auto plan = sptune::plan(met_late.view(), {.expected_calls = 1000});
        const auto x = sptune_test::wavy<double>(3000);
        std::vector<double> y(3000);
        plan.apply(x.data(), y.data());
        expect_product(met_late, x, y, "a plan");
        if (plan.why().empty()) fail("why");
        const auto c = sptune::auto_spgemm(known.view(), known.view());
        if (c.view().rows != 5000) fail("auto_spgemm");
    }
};
Global global;

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) return 2;
    global.use = std::strcmp(arguments[1], "destructor") == 0;
    multiply(global.known, 300);
    if (global.use) return 0;
    auto* const many = new std::vector<Matrix>;
    for (int i = 0; i < 40; ++i) many->emplace_back(2000 + 10 * i);
    std::thread([many] {
        for (;;)
            for (const Matrix& m : *many) multiply(m, 100);
    }).detach();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    return 0;
}
