// Memory of a plan for copies of several vectors: when it is used, and how long it lives.
#include "matrix/cuda/device_csr.hpp"
#include "matrix/generate.hpp"
#include "tests/gpu/needs_gpu.hpp"
#include "tuner/cuda/calls.hpp"
#include "tuner/cuda/select.hpp"
#include "tuner/kernel_index.hpp"
#include "tuner/plan.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace sptune::tuner {
namespace {

TEST(CallMemoryGpu, StaysWhereMoreIsRefused) {
    SPTUNE_NEEDS_GPU();
    const auto memory = make_call_memory();
    EXPECT_EQ(memory->bytes(), 0u);
    memory->reserve(1 << 20);
    EXPECT_EQ(memory->bytes(), 1u << 20);
    memory->reserve(1ull << 46);
    EXPECT_EQ(memory->bytes(), 1u << 20);
    memory->reserve(1 << 10);
    EXPECT_EQ(memory->bytes(), 1u << 20);
    memory->reserve(1 << 21);
    EXPECT_EQ(memory->bytes(), 1u << 21);
    EXPECT_EQ(memory->held_bytes(), 1u << 21);
}

/// A plan for vectors that lie one after another, and such vectors.
struct Columns {
    DeviceCsr<double, std::int32_t> a;
    std::size_t n = static_cast<std::size_t>(a.rows);
    Plan<double, std::int32_t> plan;

    explicit Columns(const Csr<double>& host)
        : a(host.view()),
          plan(choose_on_device(a.view()), KernelIndex<double, std::int32_t>::of(Backend::cuda),
               together_at_once()) {}
    static PlanOptions together_at_once() {
        PlanOptions options;
        options.online = Online::never;
        return options;
    }

    DeviceBuffer<double> vectors(std::size_t count) const {
        Buffer<double> start(n * count);
        for (std::size_t i = 0; i < start.size(); ++i)
            start[i] = 1 + static_cast<double>(i % 1009) / 64;
        return DeviceBuffer<double>(start);
    }
    void apply(const DeviceBuffer<double>& x, DeviceBuffer<double>& y, void* stream = nullptr) {
        plan.apply_many(1, Vectors<const double>::one_by_one(x.data(), n), 0,
                        Vectors<double>::one_by_one(y.data(), n), x.size() / n, stream);
    }
    std::uint64_t grows_by(std::size_t count) {
        const auto x = vectors(count);
        auto y = vectors(count);
        const std::uint64_t before = plan.bytes_beside();
        apply(x, y);
        SPTUNE_CUDA(cudaDeviceSynchronize());
        return plan.bytes_beside() - before;
    }
};

Csr<double> skewed() {
    return generate<double, std::int32_t>({"power-law", {{"rows", 20000}}, 5});
}

TEST(CallMemoryGpu, HoldsAsManyVectorsAsAreCopiedAtOnce) {
    SPTUNE_NEEDS_GPU();
    Columns columns(skewed());
    const std::uint64_t vector = 2 * columns.n * sizeof(double);  // of x and of y
    EXPECT_GE(columns.grows_by(8), 8 * vector);                   // and what is known of the rows
    EXPECT_EQ(columns.grows_by(8), 0u);
    const std::uint64_t more = columns.grows_by(33);
    EXPECT_GE(more, (32 - 8) * vector);
    EXPECT_LT(more, (33 - 8) * vector);
    EXPECT_EQ(columns.grows_by(200), 0u);
}

/// Which is written to by a graph whenever it is launched.
TEST(CallMemoryGpu, StaysAsLongAsAGraphMayUseIt) {
    SPTUNE_NEEDS_GPU();
    Columns columns(skewed());
    const auto x = columns.vectors(9);
    auto y = columns.vectors(9), as_graph = columns.vectors(9);
    columns.apply(x, y);
    cudaStream_t stream = nullptr;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t ready = nullptr;
    SPTUNE_CUDA(cudaStreamCreate(&stream));
    SPTUNE_CUDA(cudaDeviceSynchronize());
    SPTUNE_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    columns.apply(x, as_graph, stream);
    SPTUNE_CUDA(cudaStreamEndCapture(stream, &graph));
    SPTUNE_CUDA(cudaGraphInstantiate(&ready, graph, 0));
    const std::uint64_t kept = columns.plan.bytes_beside();
    EXPECT_GE(columns.grows_by(33), 32 * 2 * columns.n * sizeof(double));
    EXPECT_GT(columns.plan.bytes_beside(), kept);
    // What the plan had freed would be the next to be given to somebody of that size.
    DeviceBuffer<double> others(2 * 16 * columns.n);
    others.fill_bytes(0);
    SPTUNE_CUDA(cudaDeviceSynchronize());
    SPTUNE_CUDA(cudaGraphLaunch(ready, stream));
    SPTUNE_CUDA(cudaStreamSynchronize(stream));
    SPTUNE_CUDA(cudaGraphExecDestroy(ready));
    SPTUNE_CUDA(cudaGraphDestroy(graph));
    SPTUNE_CUDA(cudaStreamDestroy(stream));
    const Buffer<double> direct = y.to_host(), replayed = as_graph.to_host();
    for (std::size_t i = 0; i < direct.size(); ++i)
        ASSERT_NEAR(replayed[i], direct[i], 1e-9 * std::abs(direct[i])) << i;
    for (const double v : others.to_host()) ASSERT_EQ(v, 0.0);
}

}  // namespace
}  // namespace sptune::tuner
