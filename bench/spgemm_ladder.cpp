// The published settings of SpGEMM on the GPU in runs of our own, as Markdown:
//
//   bench_spgemm_ladder [--ladder [FILE...]] [--densities] [--blocks] [--record]
//
// ladder: the tiled accumulator from kernel 0 to kernel 4 and the grid search of the last, with the
// CPU beside; of files, or of uniform random matrices. densities: 1e-3, 1e-4 and 1e-5 at sizes up
// to 65536. blocks: n = 8192 … 32768 with m = 4 and 8. record: n = 32768, m = 8, 8.8 million blocks
// each. Without any: all of it.
#include "bench/block_tables.hpp"
#include "bench/medians.hpp"
#include "features/product.hpp"
#include "kernels/cuda_probe.hpp"
#include "kernels/parallel.hpp"
#include "kernels/spgemm/registry.hpp"
#include "kernels/spgemm/tiled/ladder.hpp"
#include "matrix/cuda/device_csr.hpp"
#include "matrix/generate.hpp"
#include "matrix/load.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace {

using namespace sptune;
using bench::device_ms;
using bench::wall_ms;

/// A pair on the host and on the GPU.
struct Pair {
    Csr<float> a;
    DeviceCsr<float> device;
    ProductFeatures features;

    explicit Pair(Csr<float> matrix)
        : a(std::move(matrix)),
          device(a.view()),
          features(product_features(a.view(), a.view(), 1, 1)) {}
    SpgemmProblem<float, std::int32_t> problem(Backend backend) const {
        const auto view = backend == Backend::cpu ? a.view() : device.view();
        return {view, view, features.products, features.longest_row, features.upper_entries};
    }
};

/// Whole products, C allocated and sorted, of a kernel of the registry; 0 where it is not legal.
double product_ms(const Pair& pair, const SpgemmKernel<float, std::int32_t>& kernel) {
    const Backend backend = kernel.variant.backend;
    const auto problem = pair.problem(backend);
    if (!kernel.inspect(problem, kernel.variant.params).illegal.empty()) return 0;
    const int threads = resolve_threads(0);
    std::unique_ptr<SpgemmOperands> operands;
    if (kernel.prepare) operands = kernel.prepare(problem, kernel.variant.params, threads);
    return wall_ms([&] {
        kernel.multiply(problem, operands.get(), kernel.variant.params, {}, {threads, nullptr});
    });
}

struct Best {
    double ms = 0;
    std::string id = "–";
};

/// The fastest of the kernels whose id matches.
Best best_of(const Pair& pair, Backend backend, std::string_view glob) {
    Best best;
    for (const auto& kernel : spgemm_kernels<float, std::int32_t>(backend)) {
        if (!matches(kernel.variant.id(), glob)) continue;
        const double ms = product_ms(pair, kernel);
        if (ms > 0 && (best.ms == 0 || ms < best.ms)) best = {ms, kernel.variant.id()};
    }
    return best;
}

Csr<float> uniform(index_t n, double density) {
    return generate<float>({"uniform", {{"rows", n}, {"cols", n}, {"density", density}}, 1});
}

void ladder_of(const std::string& name, const Pair& pair) {
    fmt::print("\n### {}\n\n{} rows, {} nonzeros, {} products, f32\n\n", name, pair.a.rows,
               pair.a.nnz(), pair.features.products);
    const auto problem = pair.problem(Backend::cuda);
    cuda::CooBuffer<float> triplets(pair.features.upper_entries);
    std::map<std::pair<int, int>, double> grid;
    const auto steps = cuda::ladder_steps<float>();
    const auto kernel_ms = [&](const cuda::LadderStep<float, std::int32_t>& step) {
        return device_ms(
            [&] { triplets.count.fill_bytes(0); },
            [&] { step.run(problem.a, problem.b, 0, problem.a.rows, triplets.sink()); });
    };
    const Best cpu = best_of(pair, Backend::cpu,
                             spgemm_baseline_id(Backend::cpu, ValueType::f32, IndexType::i32));
    fmt::print(
        "| kernel | block | tile | kernel alone, ms | whole product, ms | against the one "
        "before |\n|---|---|---|---|---|---|\n| CPU, Gustavson, {} threads | | | | {:.3f} | "
        "|\n",
        resolve_threads(0), cpu.ms);
    double before = 0;
    for (const auto& step : steps) {
        const int block = get(step.params, "b"), tile = get(step.params, "t");
        const bool by_thread = step.algorithm == "tiled0" || step.algorithm == "tiled1";
        const bool shown = by_thread ? block == 256 && tile == 512 : block == 256 && tile == 2048;
        if (!shown && step.algorithm != "tiled4") continue;
        const double ms = kernel_ms(step);
        if (step.algorithm == "tiled4") grid[{block, tile}] = ms;
        if (!shown) continue;
        const std::string glob =
            fmt::format("spgemm.cuda.csr.{}.b{}.t{}.f32.i32", step.algorithm, block, tile);
        fmt::print("| {} | {} | {} | {:.3f} | {:.3f} | {} |\n", step.algorithm, block, tile, ms,
                   best_of(pair, Backend::cuda, glob).ms,
                   before > 0 ? fmt::format("{:+.1f} %", 100 * (ms / before - 1)) : "");
        before = ms;
    }
    fmt::print("\nKernel 4 alone, ms, by block (down) and tile (across):\n\n| |");
    std::vector<int> blocks, tiles;
    for (const auto& [at, ms] : grid) {
        if (blocks.empty() || blocks.back() != at.first) blocks.push_back(at.first);
        if (at.first == blocks.front()) tiles.push_back(at.second);
    }
    for (const int t : tiles) fmt::print(" {} |", t);
    fmt::print("\n|---|");
    for (std::size_t i = 0; i < tiles.size(); ++i) fmt::print("---|");
    for (const int b : blocks) {
        fmt::print("\n| {} |", b);
        for (const int t : tiles) fmt::print(" {:.3f} |", grid[{b, t}]);
    }
    const auto best = std::min_element(grid.begin(), grid.end(),
                                       [](auto& x, auto& y) { return x.second < y.second; });
    const double usual = grid[{256, 2048}];
    fmt::print(
        "\n\nBest: block {}, tile {}, {:.3f} ms: {:.1f} % less than block 256, tile 2048 "
        "({:.3f} ms).\n",
        best->first.first, best->first.second, best->second, 100 * (1 - best->second / usual),
        usual);
}

void ladders(const std::vector<std::string>& files) {
    fmt::print("\n## The ladder\n");
    for (const std::string& file : files) {
        std::string name = file.substr(file.find_last_of('/') + 1);
        ladder_of(name, Pair(load_matrix<float>(file)));
    }
    if (!files.empty()) return;
    ladder_of("uniform, 4096, density 1e-2", Pair(uniform(4096, 1e-2)));
    ladder_of("uniform, 16384, density 1e-3", Pair(uniform(16384, 1e-3)));
}

void densities() {
    fmt::print(
        "\n## Densities\n\nWhole products in ms, f32.\n\n| n | density | nonzeros of C | "
        "CPU, Gustavson | CPU, best | three passes as published | three passes, best | | "
        "tiled4, best | GPU, best of others | |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (const index_t n : {1024, 2048, 4096, 8192, 16384, 32768, 65536})
        for (const double density : {1e-3, 1e-4, 1e-5}) {
            const Pair pair(uniform(n, density));
            constexpr double kMost = 1e8;  // the CPU's kernels would take minutes
            const auto products = static_cast<double>(pair.features.products);
            if (products == 0 || products > kMost) {
                fmt::print("| {} | {:g} | left out: {:g} products | | | | | | | | |\n", n, density,
                           products);
                continue;
            }
            const Best base =
                best_of(pair, Backend::cpu,
                        spgemm_baseline_id(Backend::cpu, ValueType::f32, IndexType::i32));
            const Best cpu = best_of(pair, Backend::cpu, "*");
            const Best published = best_of(pair, Backend::cuda, "*threepass.b128.tn.d1.r1.*");
            const Best three = best_of(pair, Backend::cuda, "*threepass.*");
            const Best tiled =
                best_of(pair, Backend::cuda,
                        "*tiled4.b64.t512.*,*tiled4.b128.t2048.*,*tiled4.b256.t2048.*");
            const Best other =
                best_of(pair, Backend::cuda, "*.hash.*,*.esc.*,*cusparse*,*.vendor.*");
            fmt::print(
                "| {} | {:g} | {:.0f} | {:.3f} | {:.3f} | {:.3f} | {:.3f} | {} | {:.3f} | "
                "{:.3f} | {} |\n",
                n, density, pair.features.estimated_entries, base.ms, cpu.ms, published.ms,
                three.ms, three.id, tiled.ms, other.ms, other.id);
            std::fflush(stdout);
        }
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::string> wanted, files;
    for (int i = 1; i < argc; ++i)
        (std::string_view(argv[i]).substr(0, 2) == "--" ? wanted : files).emplace_back(argv[i]);
    const auto asked = [&](std::string_view name) {
        return wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end();
    };
    try {
        require_cuda();
        fmt::print("# SpGEMM in published settings\n\n{}\n", cuda_status());
        if (asked("--record")) bench::block_record();
        if (asked("--ladder")) ladders(files);
        if (asked("--blocks")) bench::block_tables();
        if (asked("--densities")) densities();
    } catch (const std::exception& e) {
        fmt::print(stderr, "bench_spgemm_ladder: {}\n", e.what());
        return 1;
    }
    return 0;
}
