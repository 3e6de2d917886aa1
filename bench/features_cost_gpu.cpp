// features_cost_gpu MATRIX...: what extract_features_on_device costs, in plain CUDA CSR SpMVs of
// the same matrix (f64). A matrix is a file or FAMILY:PARAMETER=NUMBER,... (see `sptune generate`),
// e.g. stencil-3d-27:rows=1e6. SpMVs follow each other without waiting, as a solver calls them;
// features are calls that wait for their result. Medians of warm repeats.
#include "bench/repeated_time.hpp"
#include "features/cuda/features.hpp"
#include "kernels/registry.hpp"
#include "matrix/cuda/device_csr.hpp"
#include "matrix/generate.hpp"
#include "matrix/load.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace {

using namespace sptune;

double median_us(const std::function<void()>& call) {
    const std::vector<double> samples = repeated_us(call);
    return samples[samples.size() / 2];
}

Csr<double> make_or_load(const std::string& which) {
    const auto colon = which.find(':');
    if (colon == std::string::npos) return load_matrix<double>(which);
    GenerateRequest request{which.substr(0, colon), {}};
    for (auto begin = colon + 1; begin < which.size();) {
        const auto end = std::min(which.find(',', begin), which.size());
        const auto equals = which.find('=', begin);
        if (equals >= end) throw UsageError("expected PARAMETER=NUMBER in '" + which + "'");
        request.parameters[which.substr(begin, equals - begin)] =
            std::stod(which.substr(equals + 1, end - equals - 1));
        begin = end + 1;
    }
    return generate<double>(request);
}

double spmv_us(CsrView<double> a) {
    const std::string id = spmv_baseline_id(Backend::cuda, ValueType::f64, IndexType::i32);
    const auto& kernels = spmv_kernels<double, std::int32_t>(Backend::cuda);
    const auto& plain = *std::find_if(kernels.begin(), kernels.end(),
                                      [&](const auto& k) { return k.variant.id() == id; });
    const auto storage = plain.convert(a, plain.variant.params, 1);
    DeviceBuffer<double> x(static_cast<std::size_t>(a.cols)), y(static_cast<std::size_t>(a.rows));
    x.fill_bytes(0);
    constexpr int kBatch = 50;
    return median_us([&] {
               for (int i = 0; i < kBatch; ++i)
                   plain.apply(*storage, 1.0, x.data(), 0.0, y.data(),
                               {.threads = 1, .stream = nullptr});
               SPTUNE_CUDA(cudaStreamSynchronize(nullptr));
           }) /
           kBatch;
}

}  // namespace

int main(int argc, char** argv) {
    double log_sum = 0, worst = 0;
    int count = 0;
    for (int i = 1; i < argc; ++i) {
        try {
            const Csr<double> matrix = make_or_load(argv[i]);
            const DeviceCsr<double> there(matrix.view());
            const auto a = there.view();
            const double spmv = spmv_us(a);
            const double features = median_us([&] { extract_features_on_device(a); });
            std::printf("%-40s %10d nonzeros  SpMV %8.1f us  features %8.1f us  ratio %6.2f\n",
                        argv[i], a.nnz(), spmv, features, features / spmv);
            if (a.nnz() < 10000000) continue;
            log_sum += std::log(features / spmv);
            worst = std::max(worst, features / spmv);
            ++count;
        } catch (const Error& e) {
            std::printf("%s: skipped: %s\n", argv[i], e.what());
        }
    }
    if (count)
        std::printf("10 million nonzeros or more: %d matrices, geometric mean %.2f, worst %.2f\n",
                    count, std::exp(log_sum / count), worst);
}
