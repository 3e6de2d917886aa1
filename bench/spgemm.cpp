// Google Benchmark over the registry: every SpGEMM kernel that is legal for A·A, by id.
//
//   bench_spgemm --matrix=mat.mtx --benchmark_filter='bitmap.*f64'
//
// Without --matrix a 2-D five-point stencil of 250,000 rows is made. One call makes C from nothing,
// allocation included. MKL takes part where $SPTUNE_MKL names it. The processor time beside the
// real one is that of all threads: what to go by on a machine that is busy with other work.
#include "bench/registry_main.hpp"
#include "features/product.hpp"
#include "kernels/parallel.hpp"
#include "kernels/spgemm/registry.hpp"
#include "matrix/generate.hpp"
#include "matrix/load.hpp"

#include <memory>
#include <stdexcept>

namespace {

using namespace sptune;

template <class T>
void register_all(const std::string& path) {
    const auto matrix = std::make_shared<Csr<T>>(
        path.empty() ? generate<T>({"stencil-2d-5", {{"rows", 25e4}}, 1}) : load_matrix<T>(path));
    const auto a = matrix->view();
    if (a.rows != a.cols) throw std::runtime_error("the matrix is not square");
    const ProductFeatures f = product_features(a, a, 0, 0);
    const SpgemmProblem<T, std::int32_t> problem{a, a, f.products, f.longest_row, f.upper_entries};
    for (const auto& kernel : spgemm_kernels<T, std::int32_t>(Backend::cpu)) {
        const SpgemmFootprint f = kernel.inspect(problem, kernel.variant.params);
        if (!f.illegal.empty() || !f.wasteful.empty()) continue;
        benchmark::RegisterBenchmark(kernel.variant.id().c_str(),
                                     [&kernel, matrix, problem](benchmark::State& state) {
                                         const int threads = resolve_threads(0);
                                         const Params& params = kernel.variant.params;
                                         std::unique_ptr<SpgemmOperands> operands;
                                         if (kernel.prepare)
                                             operands = kernel.prepare(problem, params, threads);
                                         for (auto _ : state)
                                             benchmark::DoNotOptimize(kernel.multiply(
                                                 problem, operands.get(), params, {}, {threads}));
                                         state.counters["GFLOP/s"] = benchmark::Counter(
                                             2e-9 * static_cast<double>(problem.products) *
                                                 static_cast<double>(state.iterations()),
                                             benchmark::Counter::kIsRate);
                                     })
            ->UseRealTime()
            ->MeasureProcessCPUTime()
            ->Unit(benchmark::kMicrosecond);
    }
}

}  // namespace

int main(int argc, char** argv) {
    return run_benchmarks(argc, argv, "bench_spgemm", [](const std::string& path) {
        register_all<double>(path);
        register_all<float>(path);
    });
}
