// spgemm_gpu [options] FILE...: every SpGEMM kernel on the GPU over A·A (A·Aᵀ where A is not
// square), f64, as a markdown table.
//   --variants GLOB   which kernels (default: all)
//   --budget SECONDS  begin no matrix after that long (default 600)
//   --output FILE     the table (default: standard output)
//   --all             a line for every kernel, not the best alone
// A time is the median of at least 5 products after 3 discarded ones; C is allocated and freed each
// time, memory is kept from one to the next as in the library. GFLOP/s: two operations a product.
// Peak memory: what was allocated at most, A and B not counted.
#include "features/product.hpp"
#include "kernels/cuda_probe.hpp"
#include "kernels/spgemm/registry.hpp"
#include "matrix/convert.hpp"
#include "matrix/cuda/device_csr.hpp"
#include "matrix/load.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace {

using namespace sptune;
using T = double;
using P = std::int32_t;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kMostProducts = 2'000'000'000;

double since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

Csr<T, P> transposed(CsrView<T, P> a) {
    Csc<T, P> t = csr_to_csc(a);
    return {t.cols, t.rows, std::move(t.col_ptr), std::move(t.row_idx), std::move(t.values)};
}

struct Result {
    std::string id, error;
    bool vendor = false;
    double seconds = 0, slowest = 0;
    std::uint64_t peak = 0;
    std::int64_t entries = 0;
};

Result measure(const SpgemmKernel<T, P>& kernel, const SpgemmProblem<T, P>& problem) {
    Result r;
    r.id = kernel.variant.id();
    r.vendor = kernel.variant.vendor;
    // Whether the vendor's columns are sorted is not checked, to its advantage.
    SpgemmOptions options;
    options.sorted = !r.vendor;
    try {
        const auto footprint = kernel.inspect(problem, kernel.variant.params);
        if (!footprint.illegal.empty() || !footprint.wasteful.empty()) {
            r.error = footprint.illegal.empty() ? footprint.wasteful : footprint.illegal;
            return r;
        }
        std::unique_ptr<SpgemmOperands> operands;
        if (kernel.prepare) operands = kernel.prepare(problem, kernel.variant.params, 1);
        SPTUNE_CUDA(cudaDeviceSynchronize());
        device_peak_memory();
        const std::uint64_t before = device_peak_memory();  // what is in use
        std::vector<double> samples;
        const auto start = Clock::now();
        for (int i = 0; i < 8 || (i < 23 && since(start) < 0.004); ++i) {
            const auto begin = Clock::now();
            {
                const auto c =
                    kernel.multiply(problem, operands.get(), kernel.variant.params, options, {});
                r.entries = c->view().nnz();
            }
            if (i >= 3) samples.push_back(since(begin));
            // A kernel that is hopeless here need not be shown to be so eight times.
            if (i == 0 && since(begin) > 0.5) {
                samples.push_back(since(begin));
                break;
            }
        }
        r.peak = device_peak_memory() - before;
        std::sort(samples.begin(), samples.end());
        r.seconds = samples[samples.size() / 2];
        r.slowest = samples.back();
    } catch (const OutOfMemory& e) {
        r.error = e.what();
    } catch (const Error& e) {
        r.error = e.what();
        SPTUNE_CUDA(cudaDeviceSynchronize());
    }
    return r;
}

std::string megabytes(std::uint64_t bytes) {
    return fmt::format("{:.1f}", static_cast<double>(bytes) / 1e6);
}

struct Geomean {
    double logs = 0;
    int count = 0;
    void add(double ratio) {
        logs += std::log(ratio);
        ++count;
    }
    double value() const { return count ? std::exp(logs / count) : 0; }
};

}  // namespace

int main(int argc, char** argv) try {
    std::vector<std::string> files;
    std::string variants = "*", output;
    double budget = 600;
    bool all = false;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--variants" && i + 1 < argc)
            variants = argv[++i];
        else if (word == "--budget" && i + 1 < argc)
            budget = std::atof(argv[++i]);
        else if (word == "--output" && i + 1 < argc)
            output = argv[++i];
        else if (word == "--all")
            all = true;
        else
            files.push_back(word);
    }
    if (files.empty()) {
        fmt::print(stderr,
                   "usage: spgemm_gpu [--variants GLOB] [--budget SECONDS] [--output FILE] [--all] "
                   "FILE...\n");
        return 2;
    }
    require_cuda();
    std::FILE* out = output.empty() ? stdout : std::fopen(output.c_str(), "w");
    if (!out) {
        fmt::print(stderr, "{}: cannot be written\n", output);
        return 1;
    }
    const auto start = Clock::now();
    fmt::print(out,
               "| matrix | rows | products | nnz(C) | kernel | µs | GFLOP/s | MB | cuSPARSE's best "
               "| µs | GFLOP/s | ALG1 MB | speed-up |\n"
               "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    Geomean speedup;
    std::map<std::string, Geomean> of_kernel;
    std::map<std::string, int> wins;
    int slower = 0, larger = 0, skipped = 0;
    for (const std::string& file : files) {
        const std::string name = std::filesystem::path(file).stem().string();
        if (since(start) > budget) {
            ++skipped;
            continue;
        }
        Csr<T, P> a;
        try {
            a = load_matrix<T, P>(file, {.threads = 0, .progress = {}});
        } catch (const InputError& e) {
            fmt::print(stderr, "{}, skipped\n", e.what());
            continue;
        }
        const bool square = a.rows == a.cols;
        const Csr<T, P> transpose = square ? Csr<T, P>{} : transposed(a.view());
        const CsrView<T, P> b = square ? a.view() : transpose.view();
        const ProductFeatures f = product_features(a.view(), b, 1, 2, 0, 1);
        if (f.products > kMostProducts || f.products == 0) {
            fmt::print(stderr, "{}: {} products, skipped\n", name, f.products);
            continue;
        }
        const DeviceCsr<T, P> device_a(a.view());
        const DeviceCsr<T, P> device_b = square ? DeviceCsr<T, P>{} : DeviceCsr<T, P>(b);
        const SpgemmProblem<T, P> problem{device_a.view(),
                                          square ? device_a.view() : device_b.view(), f.products,
                                          f.longest_row, f.upper_entries};
        Result best, vendor, alg1;
        for (const auto& kernel : spgemm_kernels<T, P>(Backend::cuda)) {
            if (!matches(kernel.variant.id(), variants)) continue;
            const Result r = measure(kernel, problem);
            if (all)
                fmt::print(stderr, "{} {} {:.1f} us {:.1f} MB {} {}\n", name, r.id, r.seconds * 1e6,
                           static_cast<double>(r.peak) / 1e6, r.entries, r.error);
            if (r.id.find("cusparse.spgemm.o1.") != std::string::npos) alg1 = r;
            if (!r.error.empty()) continue;
            Result& place = r.vendor ? vendor : best;
            if (place.id.empty() || r.seconds < place.seconds) place = r;
            if (!r.vendor) of_kernel[r.id].add(r.seconds);
        }
        const auto rate = [&](const Result& r) {
            return r.seconds > 0 ? 2e-9 * static_cast<double>(f.products) / r.seconds : 0.0;
        };
        const bool both = !best.id.empty() && !vendor.id.empty();
        if (both) speedup.add(vendor.seconds / best.seconds);
        if (both && vendor.seconds < best.seconds) ++slower;
        if (both && alg1.error.empty() && best.peak > alg1.peak) ++larger;
        if (!best.id.empty()) ++wins[best.id];
        if (both && best.entries != vendor.entries)
            fmt::print(stderr, "{}: {} says {} entries, {} says {}\n", name, best.id, best.entries,
                       vendor.id, vendor.entries);
        fmt::print(
            out,
            "| {} | {} | {} | {} | {} | {:.1f} | {:.1f} | {} | {} | {:.1f} | {:.1f} | {} | {} |\n",
            name, a.rows, f.products, best.entries, best.id, best.seconds * 1e6, rate(best),
            megabytes(best.peak), vendor.id, vendor.seconds * 1e6, rate(vendor),
            alg1.error.empty() ? megabytes(alg1.peak) : "failed",
            both ? fmt::format("{:.2f}", vendor.seconds / best.seconds) : "-");
        std::fflush(out);
    }
    fmt::print(out,
               "\nOver {} matrices: {:.2f} times cuSPARSE's best in geometric mean; slower on {}; "
               "more memory than ALG1 on {}; {} left out for lack of time.\n\n",
               speedup.count, speedup.value(), slower, larger, skipped);
    fmt::print(out, "| kernel | fastest of ours on | geometric mean µs |\n|---|---|---|\n");
    for (const auto& [id, times] : of_kernel)
        fmt::print(out, "| {} | {} | {:.1f} |\n", id, wins[id], times.value() * 1e6);
    if (out != stdout) std::fclose(out);
    return 0;
} catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
}
