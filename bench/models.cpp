// What choosing costs: one prediction for the whole portfolio of the shipped model, and its parts.
//   bench_models [--benchmark_filter=…]
#include "kernels/cuda_probe.hpp"
#include "kernels/registry.hpp"
#include "matrix/generate.hpp"
#include "models/heuristic.hpp"
#include "models/holding.hpp"
#include "models/inputs.hpp"
#include "models/shipped.hpp"

#include <iostream>

#include <benchmark/benchmark.h>

namespace {

using namespace sptune;

const Features& features() {
    static const Features found =
        extract_features(generate<double>({"stencil-2d-5", {{"rows", 1e5}}, 1}).view());
    return found;
}

db::Device device(std::string_view backend) {
    db::Device d;
    d.backend = backend, d.threads = 2, d.llc_bytes = 32 << 20, d.bandwidth_gbs = 20;
    d.bandwidth_curve = {{1 << 14, 200}, {1 << 20, 100}, {1 << 27, 20}};
    return d;
}

void predict(benchmark::State& state, const models::Predictor& model,
             const std::vector<Variant>& variants, const db::Device& on) {
    std::vector<models::Option> options;
    for (const Variant& v : variants) options.push_back({&v, 0});
    for (auto _ : state) benchmark::DoNotOptimize(model.predict(features(), on, options));
    state.counters["kernels"] = static_cast<double>(variants.size());
}

}  // namespace

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    static const models::Heuristic heuristic;
    if (const models::ModelSet* shipped = models::shipped_model()) {
        for (const auto& trees : shipped->trees()) {
            const std::string side(to_string(trees->parts().backend));
            // What a choice asks about: the kernels at hand that the trees know.
            const Backend backend = trees->parts().backend;
            std::vector<Variant> variants = trees->parts().portfolio;
            if (backend == Backend::cpu || cuda_usable()) {
                variants.clear();
                for (const auto& kernel : spmv_kernels<double, std::int32_t>(backend))
                    if (trees->knows(kernel.variant)) variants.push_back(kernel.variant);
            }
            const auto bench = [&](const std::string& name, const models::Predictor& model) {
                benchmark::RegisterBenchmark((name + "/" + side).c_str(),
                                             [&model, variants, side](benchmark::State& state) {
                                                 predict(state, model, variants, device(side));
                                             });
            };
            for (const models::Predictor* model : shipped->predictors(side))
                bench(model->name(), *model);
            bench("heuristic", heuristic);
        }
    } else {
        std::cerr << "this build has no shipped model\n";
    }
    benchmark::RegisterBenchmark("inputs", [](benchmark::State& state) {
        const db::Device on = device("cpu");
        for (auto _ : state)
            benchmark::DoNotOptimize(models::inputs(features(), on, ValueType::f64));
    });
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
