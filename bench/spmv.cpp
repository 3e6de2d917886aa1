// Google Benchmark over the registry: every SpMV kernel that is legal for a matrix, by id.
//
//   bench_spmv --matrix=mat.mtx --benchmark_filter='sell.*c8.*f64'
//
// Without --matrix a 2-D five-point stencil of a million rows is made. For quick looks at single
// kernels; what `sptune profile` prints is verified, interleaved and comes with its spread.
#include "bench/registry_main.hpp"
#include "kernels/parallel.hpp"
#include "kernels/registry.hpp"
#include "matrix/generate.hpp"
#include "matrix/load.hpp"

#include <memory>

namespace {

using namespace sptune;

template <class T>
void register_all(const std::string& path) {
    const auto matrix = std::make_shared<Csr<T>>(
        path.empty() ? generate<T>({"stencil-2d-5", {{"rows", 1e6}}, 1}) : load_matrix<T>(path));
    const auto features = std::make_shared<Features>(extract_features(matrix->view()));
    for (const auto& kernel : spmv_kernels<T, std::int32_t>(Backend::cpu)) {
        if (!kernel.inspect(matrix->view(), *features, kernel.variant.params).illegal.empty())
            continue;
        benchmark::RegisterBenchmark(
            kernel.variant.id().c_str(),
            [&kernel, matrix](benchmark::State& state) {
                const int threads = resolve_threads(0);
                const auto a = matrix->view();
                const auto storage = kernel.convert(a, kernel.variant.params, threads);
                Buffer<T> x(static_cast<std::size_t>(a.cols), T{1});
                Buffer<T> y(static_cast<std::size_t>(a.rows), T{0});
                for (auto _ : state) {
                    kernel.apply(*storage, T{1}, x.data(), T{0}, y.data(), {threads});
                    benchmark::ClobberMemory();
                }
                const double calls = static_cast<double>(state.iterations());
                state.counters["GFLOP/s"] = benchmark::Counter(
                    2e-9 * static_cast<double>(a.nnz()) * calls, benchmark::Counter::kIsRate);
                state.SetBytesProcessed(static_cast<std::int64_t>(
                    calls * static_cast<double>(storage->bytes() + x.bytes() + y.bytes())));
            })
            ->UseRealTime()
            ->Unit(benchmark::kMicrosecond);
    }
}

}  // namespace

int main(int argc, char** argv) {
    return run_benchmarks(argc, argv, "bench_spmv", [](const std::string& path) {
        register_all<double>(path);
        register_all<float>(path);
    });
}
