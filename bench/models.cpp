// What choosing costs: one prediction for the whole portfolio of the shipped model, and its parts.
//   bench_models [--benchmark_filter=…]
#include "kernels/cuda_probe.hpp"
#include "kernels/registry.hpp"
#include "matrix/generate.hpp"
#include "models/heuristic.hpp"
#include "models/inputs.hpp"
#include "models/shipped.hpp"

#include <iostream>

#include <benchmark/benchmark.h>

namespace {

using namespace sptune;

/// Of several kinds and sizes: a processor soon knows by heart which way one matrix goes.
const std::vector<Features>& features() {
    static const std::vector<Features> found = [] {
        std::vector<Features> list;
        for (const char* family : {"stencil-2d-5", "fem", "per-row", "power-law", "banded"})
            for (const double rows : {1e3, 3e3, 1e4, 3e4, 1e5})
                list.push_back(
                    extract_features(generate<double>({family, {{"rows", rows}}, 1}).view()));
        return list;
    }();
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
    for (const Variant& v : variants) options.push_back({&v, 0, model.place_of(v)});
    features();  // not part of what is timed
    std::size_t at = 0;
    for (auto _ : state)
        benchmark::DoNotOptimize(model.predict(features()[at++ % features().size()], on, options));
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
            benchmark::DoNotOptimize(models::inputs(features().front(), on, ValueType::f64));
    });
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
