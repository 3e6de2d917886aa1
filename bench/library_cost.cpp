// What the library adds to a product: bench_library_cost [MATRIX...]. For each matrix (a few
// generated ones without arguments) the time of one call of a settled plan, what auto_spmv takes on
// top of it, and what choosing costs in plain CSR products.
#include "matrix/generate.hpp"
#include "matrix/load.hpp"
#include "sptune/sptune.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include <fmt/format.h>

namespace {

using namespace sptune;

double now_us() {
    return std::chrono::duration<double, std::micro>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/// The least of `rounds` means, taking turns between the calls: a busy machine disturbs all alike.
template <class... Calls>
std::vector<double> least_us(int rounds, int calls, const Calls&... call) {
    std::vector<double> best(sizeof...(Calls), 1e300);
    for (int r = 0; r < rounds; ++r) {
        std::size_t i = 0;
        const auto one = [&](const auto& work) {
            const double start = now_us();
            for (int k = 0; k < calls; ++k) work();
            best[i] = std::min(best[i], (now_us() - start) / calls);
            ++i;
        };
        (one(call), ...);
    }
    return best;
}

void measure(const std::string& name, const Csr<double>& a) {
    const csr_view<double> view{a.rows,           a.cols,          a.row_ptr.data(),
                                a.col_idx.data(), a.values.data(), a.nnz()};
    std::vector<double> x(static_cast<std::size_t>(a.cols), 1.0);
    std::vector<double> y(static_cast<std::size_t>(a.rows));
    plan_options plain_options, options;
    plain_options.variants = "spmv.cpu.csr.static.x32.l1.u1.wn.*";
    auto plain = sptune::plan(view, plain_options);
    for (int i = 0; i < 400; ++i) auto_spmv(view, x, y);
    // The same kernel as auto_spmv has settled on is hard to name; plain CSR serves both.
    setenv("SPTUNE_MODE", "off", 1);
    forget(view);
    auto_spmv(view, x, y);
    unsetenv("SPTUNE_MODE");
    const auto us = least_us(
        60, std::max(1, 4'000'000 / (a.nnz() + 1)), [&] { plain.apply(x.data(), y.data()); },
        [&] { auto_spmv(view, x, y); });
    double select_us = 1e300, plan_us = 1e300;
    for (int i = 0; i < 7; ++i) {
        const double start = now_us();
        auto plan = sptune::plan(view, options);
        plan_us = std::min(plan_us, now_us() - start);
        select_us = std::min(select_us, plan.selection().select_us);
    }
    forget(view);
    fmt::print("| {} | {} | {:.2f} | {:+.2f} | {:+.1f} % | {:.1f} | {:.1f} | {} |\n", name, a.nnz(),
               us[0], us[1] - us[0], 100 * (us[1] / us[0] - 1), select_us / us[0], plan_us / us[0],
               sptune::plan(view, options).selection().source);
}

}  // namespace

int main(int argc, char** argv) {
    fmt::print(
        "| matrix | entries | plain CSR us | auto_spmv on top, us | share | choosing, plain CSR "
        "calls | "
        "plan(), plain CSR calls | source |\n|---|---|---|---|---|---|---|---|\n");
    for (int i = 1; i < argc; ++i) measure(argv[i], load_matrix<double>(argv[i]));
    if (argc > 1) return 0;
    for (const auto& [family, rows] :
         {std::pair{"stencil-2d-5", 2000}, std::pair{"stencil-2d-5", 10000},
          std::pair{"stencil-2d-5", 100000}, std::pair{"fem", 3000}, std::pair{"fem", 60000},
          std::pair{"uniform", 100000}, std::pair{"power-law", 200000}})
        measure(family, generate<double, std::int32_t>({family, {{"rows", rows}}, 1}));
}
