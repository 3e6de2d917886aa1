// libsptune with matrices in GPU memory. Prints what choosing and repeated calls cost.
#include "matrix/cuda/device_csr.hpp"
#include "matrix/generate.hpp"
#include "sptune/sptune.hpp"
#include "tests/gpu/needs_gpu.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <iostream>
#include <limits>
#include <optional>
#include <thread>
#include <vector>

namespace sptune {
namespace {

template <class T, class P>
struct OnDevice {
    Csr<T, P> host;
    DeviceCsr<T, P> a;

    OnDevice(const std::string& family, int rows)
        : host(generate<T, P>({family, {{"rows", rows}}, 3})), a(host.view()) {}
    csr_view<T, P> view() const {
        return {a.rows, a.cols, a.row_ptr.data(), a.col_idx.data(), a.values.data(), a.entries};
    }
    /// Differs from αAx + βy by more than rounding at row …; -1: nowhere.
    std::int64_t wrong_row(double alpha, const Buffer<T>& x, double beta, const Buffer<T>& y0,
                           const Buffer<T>& y, bool transposed = false) const {
        std::vector<double> sum(y.size()), scale(y.size());
        for (index_t i = 0; i < host.rows; ++i)
            for (P k = host.row_ptr[static_cast<std::size_t>(i)];
                 k < host.row_ptr[static_cast<std::size_t>(i) + 1]; ++k) {
                const index_t j = host.col_idx[static_cast<std::size_t>(k)];
                const auto to = static_cast<std::size_t>(transposed ? j : i);
                const auto from = static_cast<std::size_t>(transposed ? i : j);
                const double product = double(host.values[static_cast<std::size_t>(k)]) * x[from];
                sum[to] += product;
                scale[to] += std::abs(product);
            }
        for (std::size_t i = 0; i < y.size(); ++i) {
            const double expected = alpha * sum[i] + (beta == 0 ? 0 : beta * y0[i]);
            const double bound = 500 * std::numeric_limits<T>::epsilon() * (1 + scale[i]);
            if (!(std::abs(y[i] - expected) <= bound)) return static_cast<std::int64_t>(i);
        }
        return -1;
    }
};

template <class T>
Buffer<T> wavy(std::size_t n, double phase = 0) {
    Buffer<T> x(n);
    for (std::size_t i = 0; i < n; ++i)
        x[i] = static_cast<T>(std::sin(0.7 * static_cast<double>(i) + phase));
    return x;
}

class Stream {
  public:
    explicit Stream(unsigned flags = cudaStreamDefault) {
        SPTUNE_CUDA(cudaStreamCreateWithFlags(&stream_, flags));
    }
    ~Stream() { cudaStreamDestroy(stream_); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    operator cudaStream_t() const { return stream_; }

  private:
    cudaStream_t stream_ = nullptr;
};

/// Records `work` on `stream` as a graph, overwrites y, and launches the graph once.
template <class T>
void launch_as_graph(const Stream& stream, DeviceBuffer<T>& y, const std::function<void()>& work) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t ready = nullptr;
    SPTUNE_CUDA(cudaDeviceSynchronize());
    SPTUNE_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    work();
    SPTUNE_CUDA(cudaStreamEndCapture(stream, &graph));
    SPTUNE_CUDA(cudaGraphInstantiate(&ready, graph, 0));
    y.fill_bytes(0xff);
    SPTUNE_CUDA(cudaDeviceSynchronize());
    SPTUNE_CUDA(cudaGraphLaunch(ready, stream));
    SPTUNE_CUDA(cudaStreamSynchronize(stream));
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
}

template <class Types>
class LibraryGpu : public testing::Test {
  protected:
    void SetUp() override { SPTUNE_NEEDS_GPU(); }
};
using AllTypes = testing::Types<std::pair<float, std::int32_t>, std::pair<float, std::int64_t>,
                                std::pair<double, std::int32_t>, std::pair<double, std::int64_t>>;
TYPED_TEST_SUITE(LibraryGpu, AllTypes);

TYPED_TEST(LibraryGpu, AutoSpmv) {
    using T = typename TypeParam::first_type;
    for (const char* family : {"fem", "power-law"}) {
        const OnDevice<T, typename TypeParam::second_type> m(family, 20000);
        const auto x = wavy<T>(static_cast<std::size_t>(m.a.cols));
        const DeviceBuffer<T> dx(x);
        DeviceBuffer<T> dy(static_cast<std::size_t>(m.a.rows));
        for (int call = 0; call < 100; ++call) {
            dy.fill_bytes(0xff);
            auto_spmv(m.view(), static_cast<const T*>(dx.data()), dy.data());
            if (call % 10 && call < 95) continue;
            ASSERT_EQ(m.wrong_row(1, x, 0, x, dy.to_host()), -1) << family << call;
        }
        forget(m.view());
    }
}

/// A itself is still on its way in the stream that the call names.
TYPED_TEST(LibraryGpu, AutoSpmvWaitsForWhereAComesFrom) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    const OnDevice<T, P> m("fem", 20000);
    DeviceCsr<T, P> late(m.host.view());
    const auto x = wavy<T>(static_cast<std::size_t>(m.a.rows));
    const DeviceBuffer<T> dx(x);
    DeviceBuffer<T> dy(x.size());
    late.row_ptr.fill_bytes(0), late.col_idx.fill_bytes(0), late.values.fill_bytes(0);
    DeviceBuffer<char> work(std::size_t{1} << 28);
    work.fill_bytes(0);
    SPTUNE_CUDA(cudaDeviceSynchronize());

    const Stream stream(cudaStreamNonBlocking);
    for (int n = 0; n < 100; ++n)
        SPTUNE_CUDA(cudaMemsetAsync(work.data(), n, work.bytes(), stream));
    const auto arrives = [&](auto& to, const auto& from) {
        SPTUNE_CUDA(cudaMemcpyAsync(to.data(), from.data(), from.bytes(), cudaMemcpyDeviceToDevice,
                                    stream));
    };
    arrives(late.row_ptr, m.a.row_ptr);
    arrives(late.col_idx, m.a.col_idx);
    arrives(late.values, m.a.values);
    const csr_view<T, P> a{late.rows,           late.cols,          late.row_ptr.data(),
                           late.col_idx.data(), late.values.data(), late.entries};
    auto_spmv(a, static_cast<const T*>(dx.data()), dy.data(), {.stream = stream});
    SPTUNE_CUDA(cudaStreamSynchronize(stream));
    EXPECT_EQ(m.wrong_row(1, x, 0, x, dy.to_host()), -1);
    forget(a);
}

TYPED_TEST(LibraryGpu, PlansStreamsAndTransposes) {
    using T = typename TypeParam::first_type;
    const OnDevice<T, typename TypeParam::second_type> m("fem", 20000);
    const auto n = static_cast<std::size_t>(m.a.rows);
    const auto x = wavy<T>(n), y0 = wavy<T>(n, 1);
    const DeviceBuffer<T> dx(x);
    const Stream stream;
    for (const bool transposed : {false, true}) {
        plan_options options;
        options.expected_calls = 1000;
        options.transposed = transposed;
        auto plan = sptune::plan(m.view(), options);
        for (int call = 0; call < 30; ++call) {
            DeviceBuffer<T> dy(y0);
            cudaDeviceSynchronize();
            plan.apply(T{2}, dx.data(), T{-0.5}, dy.data(), stream);
            SPTUNE_CUDA(cudaStreamSynchronize(stream));
            ASSERT_EQ(m.wrong_row(2, x, -0.5, y0, dy.to_host(), transposed), -1) << call;
        }
        DeviceBuffer<T> dy(y0);
        // How far trials come depends on what calls take, so on what else the GPU does; the results
        // may not.
        for (int call = 0; call < 2000 && !plan.selection().settled; ++call)
            plan.apply(T{1}, dx.data(), T{0}, dy.data());
        dy.fill_bytes(0xff);
        plan.apply(T{1}, dx.data(), T{0}, dy.data());
        EXPECT_EQ(m.wrong_row(1, x, 0, x, dy.to_host(), transposed), -1) << plan.why();
    }
}

TYPED_TEST(LibraryGpu, SeveralVectors) {
    using T = typename TypeParam::first_type;
    const OnDevice<T, typename TypeParam::second_type> m("power-law", 5000);
    const auto n = static_cast<std::size_t>(m.a.rows);
    const Stream stream;
    for (const bool transposed : {false, true})
        for (const bool deterministic : {false, true}) {
            plan_options options;
            options.transposed = transposed;
            options.deterministic = deterministic;
            auto plan = sptune::plan(m.view(), options);
            for (const std::size_t count : {2, 9})
                for (int call = 0; call < 16; ++call) {
                    const bool rows = call % 2;
                    const auto x = wavy<T>(n * count), y0 = wavy<T>(n * count, 1);
                    const DeviceBuffer<T> dx(x);
                    DeviceBuffer<T> dy(y0);
                    cudaDeviceSynchronize();
                    if (rows)
                        plan.apply_many_rows(2, dx.data(), count, T{-0.5}, dy.data(), count, count,
                                             stream);
                    else
                        plan.apply_many(2, dx.data(), n, T{-0.5}, dy.data(), n, count, stream);
                    SPTUNE_CUDA(cudaStreamSynchronize(stream));
                    const auto y = dy.to_host();
                    for (std::size_t j = 0; j < count; ++j) {
                        const auto one = [&](const Buffer<T>& all) {
                            Buffer<T> v(n);
                            for (std::size_t i = 0; i < n; ++i)
                                v[i] = all[rows ? i * count + j : i + j * n];
                            return v;
                        };
                        ASSERT_EQ(m.wrong_row(2, one(x), -0.5, one(y0), one(y), transposed), -1)
                            << "vector " << j << " of " << count << ", rows " << rows;
                    }
                }
        }
}

/// Vectors of which copies are made, in memory of the plan that grows: in two streams that wait for
/// nothing else, from the very first call on.
TYPED_TEST(LibraryGpu, StreamsTakeTurnsWithCopies) {
    using T = typename TypeParam::first_type;
    const OnDevice<T, typename TypeParam::second_type> m("power-law", 20000);
    const auto n = static_cast<std::size_t>(m.a.rows);
    plan_options options;
    options.online = online::never;
    auto plan = sptune::plan(m.view(), options);
    const Stream streams[] = {Stream(cudaStreamNonBlocking), Stream(cudaStreamNonBlocking)};
    constexpr std::size_t kCounts[] = {8, 33};
    std::vector<Buffer<T>> x;
    std::vector<DeviceBuffer<T>> dx, dy;
    for (std::size_t call = 0; call < 16; ++call) {
        x.push_back(wavy<T>(n * kCounts[call % 2], static_cast<double>(call)));
        dx.emplace_back(x.back()), dy.emplace_back(x.back().size());
    }
    SPTUNE_CUDA(cudaDeviceSynchronize());
    for (std::size_t call = 0; call < x.size(); ++call)
        plan.apply_many(1, dx[call].data(), n, 0, dy[call].data(), n, kCounts[call % 2],
                        streams[call % 2]);
    SPTUNE_CUDA(cudaDeviceSynchronize());
    for (std::size_t call = 0; call < x.size(); ++call) {
        const Buffer<T> y = dy[call].to_host();
        for (std::size_t j = 0; j < kCounts[call % 2]; j += 7) {
            Buffer<T> one_x(n), one_y(n);
            std::copy_n(x[call].data() + j * n, n, one_x.data());
            std::copy_n(y.data() + j * n, n, one_y.data());
            ASSERT_EQ(m.wrong_row(1, one_x, 0, one_x, one_y), -1) << call << ", vector " << j;
        }
    }
}

/// Kernels with scratch memory of their own, from two threads with a stream each.
TYPED_TEST(LibraryGpu, StreamsMayShareAPlan) {
    using T = typename TypeParam::first_type;
    const OnDevice<T, typename TypeParam::second_type> m("power-law", 50000);
    const auto n = static_cast<std::size_t>(m.a.rows);
    for (const char* variants : {"*.cuda.coo.*", "*.cuda.csr.merge.*", "*"}) {
        plan_options options;
        options.expected_calls = 1000;
        options.variants = variants;
        std::optional<spmv_plan<T>> plan;
        try {
            plan.emplace(sptune::plan(m.view(), options));
        } catch (const error& e) {  // a model need not know them
            std::cout << variants << ": " << e.what() << "\n";
            continue;
        }
        std::vector<std::thread> threads;
        std::atomic<int> wrong{0};
        for (int t = 0; t < 2; ++t)
            threads.emplace_back([&, t] {
                const Stream stream;
                const auto x = wavy<T>(n, t);
                const DeviceBuffer<T> dx(x);
                DeviceBuffer<T> dy(n);
                cudaDeviceSynchronize();
                for (int call = 0; call < 200; ++call)
                    plan->apply(T{1}, dx.data(), T{0}, dy.data(), stream);
                SPTUNE_CUDA(cudaStreamSynchronize(stream));
                wrong += m.wrong_row(1, x, 0, x, dy.to_host()) >= 0;
            });
        for (std::thread& thread : threads) thread.join();
        EXPECT_EQ(wrong, 0) << plan->why();
    }
}

TYPED_TEST(LibraryGpu, LayoutsThatShareTheValuesTakeNewOnes) {
    using T = typename TypeParam::first_type;
    OnDevice<T, typename TypeParam::second_type> m("fem", 20000);
    const auto n = static_cast<std::size_t>(m.a.rows);
    const auto x = wavy<T>(n);
    const DeviceBuffer<T> dx(x);
    DeviceBuffer<T> dy(n);
    for (const char* variants :
         {"*.csr.vector.*", "*.csr.merge.*", "*.csr.tiles.*.x32.*", "*.csr.tiles.*.x16.*"}) {
        plan_options options;
        options.expected_calls = 1000;
        options.variants = variants;
        auto plan = sptune::plan(m.view(), options);
        for (int step = 0; step < 3; ++step) {
            for (T& v : m.host.values) v += static_cast<T>(0.25);
            m.a.values = DeviceBuffer<T>(m.host.values);
            plan.update_values(m.a.values.data());
            plan.apply(dx.data(), dy.data());
            ASSERT_EQ(m.wrong_row(1, x, 0, x, dy.to_host()), -1) << variants << plan.why();
        }
    }
}

TYPED_TEST(LibraryGpu, NewValuesAndGraphs) {
    using T = typename TypeParam::first_type;
    OnDevice<T, typename TypeParam::second_type> m("fem", 20000);
    const auto n = static_cast<std::size_t>(m.a.rows);
    const auto x = wavy<T>(n);
    const DeviceBuffer<T> dx(x);
    DeviceBuffer<T> dy(n);
    plan_options options;
    options.expected_calls = 1000;
    auto plan = sptune::plan(m.view(), options);
    for (int step = 0; step < 4; ++step) {
        for (T& v : m.host.values) v += static_cast<T>(0.25);
        m.a.values = DeviceBuffer<T>(m.host.values);
        plan.update_values(m.a.values.data());
        for (int call = 0; call < 20; ++call) plan.apply(dx.data(), dy.data());
        ASSERT_EQ(m.wrong_row(1, x, 0, x, dy.to_host()), -1) << plan.why();
    }
    const Stream stream;
    launch_as_graph(stream, dy, [&] { plan.apply(dx.data(), dy.data(), stream); });
    EXPECT_EQ(m.wrong_row(1, x, 0, x, dy.to_host()), -1);
}

/// Before anybody has looked at the rows, and after; with copies and without.
TEST(LibraryGpuMore, SeveralVectorsInAGraph) {
    SPTUNE_NEEDS_GPU();
    const OnDevice<double, std::int32_t> m("power-law", 20000);
    const auto n = static_cast<std::size_t>(m.a.rows);
    const Stream stream;
    for (const std::size_t count : {3, 9}) {
        const auto x = wavy<double>(n * count);
        const DeviceBuffer<double> dx(x);
        DeviceBuffer<double> dy(n * count);
        for (const bool look : {false, true}) {
            plan_options options;
            options.online = online::never;
            auto plan = sptune::plan(m.view(), options);
            const auto rows = [&](cudaStream_t in) {
                plan.apply_many_rows(1, dx.data(), count, 0, dy.data(), count, count, in);
            };
            const auto columns = [&](cudaStream_t in) {
                plan.apply_many(1, dx.data(), n, 0, dy.data(), n, count, in);
            };
            if (look) rows(nullptr), columns(nullptr);
            for (const bool by_rows : {false, true}) {
                launch_as_graph(stream, dy, [&] {
                    if (by_rows) columns(stream), rows(stream);
                    if (!by_rows) rows(stream), columns(stream);
                });
                const auto y = dy.to_host();
                Buffer<double> one_x(n), one_y(n);
                for (std::size_t j = 0; j < count; ++j) {
                    for (std::size_t i = 0; i < n; ++i) {
                        const std::size_t at = by_rows ? i * count + j : i + j * n;
                        one_x[i] = x[at], one_y[i] = y[at];
                    }
                    EXPECT_EQ(m.wrong_row(1, one_x, 0, one_x, one_y), -1)
                        << "looked " << look << ", rows " << by_rows;
                }
            }
        }
    }
}

/// The very first call is recorded; new values are recorded anew, with the same kernel.
TEST(LibraryGpuMore, PlansForGraphs) {
    SPTUNE_NEEDS_GPU();
    using T = double;
    for (const bool deterministic : {false, true})
        for (const auto& [family, rows] :
             {std::pair{"stencil-3d-27", 125000}, std::pair{"stencil-2d-5", 4000},
              std::pair{"power-law", 20000}}) {
            OnDevice<T, std::int32_t> m(family, rows);
            const auto x = wavy<T>(static_cast<std::size_t>(m.a.cols));
            const DeviceBuffer<T> dx(x);
            DeviceBuffer<T> dy(static_cast<std::size_t>(m.a.rows));
            plan_options options;
            options.in_graphs = true;
            options.deterministic = deterministic;
            auto p = plan(m.view(), options);
            EXPECT_TRUE(p.selection().settled) << family;
            const std::string id = p.selection().id;
            const Stream stream;
            const auto recorded = [&] {
                launch_as_graph(stream, dy, [&] {
                    p.apply(1.0, static_cast<const T*>(dx.data()), 0.0, dy.data(), stream);
                });
                return dy.to_host();
            };
            EXPECT_EQ(m.wrong_row(1, x, 0, x, recorded()), -1) << family << p.why();
            for (int update = 0; update < 3; ++update) {
                for (T& v : m.host.values) v += static_cast<T>(0.25);
                m.a.values = DeviceBuffer<T>(m.host.values);
                p.update_values(m.a.values.data());
                EXPECT_TRUE(p.selection().settled) << family;
                EXPECT_EQ(m.wrong_row(1, x, 0, x, recorded()), -1) << family << p.why();
            }
            for (int call = 0; call < 20; ++call)
                p.apply(1.0, static_cast<const T*>(dx.data()), 0.0, dy.data());
            EXPECT_EQ(p.selection().id, id) << family;
        }
}

/// The GPU cannot wait then for calls that may be using it.
TEST(LibraryGpuMore, NothingIsFreedWhileAGraphIsCaptured) {
    SPTUNE_NEEDS_GPU();
    const OnDevice<double, std::int32_t> m("fem", 3000);
    const Buffer<double> x(static_cast<std::size_t>(m.host.cols), 1.5);
    const DeviceBuffer<double> dx(x);
    DeviceBuffer<double> dy(static_cast<std::size_t>(m.host.rows));
    plan_options options;
    options.expected_calls = 1000;
    auto kept = sptune::plan(m.view(), options);
    const Stream stream;
    {
        auto gone = sptune::plan(m.view(), options);
        auto product = sptune::auto_spgemm(m.view(), m.view());
        gone.apply(dx.data(), dy.data());
        SPTUNE_CUDA(cudaDeviceSynchronize());
        SPTUNE_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        try {
            kept.update_values(m.a.values.data());
            ADD_FAILURE() << "new values were taken without waiting for calls";
        } catch (const sptune::error& e) {
            EXPECT_EQ(e.code(), status::device_error) << e.what();
        }
    }
    cudaGraph_t graph = nullptr;
    cudaStreamEndCapture(stream, &graph);  // the waits have made it invalid
    cudaGetLastError();
    for (int call = 0; call < 20; ++call) kept.apply(dx.data(), dy.data());
    EXPECT_EQ(m.wrong_row(1, x, 0, x, dy.to_host()), -1) << kept.why();
}

TEST(LibraryGpuMore, MixedMemoryIsRefused) {
    SPTUNE_NEEDS_GPU();
    const OnDevice<double, std::int32_t> m("fem", 3000);
    csr_view<double> a = m.view();
    EXPECT_EQ(memory_of(a.values), backend::cuda);
    a.values = m.host.values.data();
    EXPECT_EQ(memory_of(a.values), backend::cpu);
    try {
        sptune::plan(a);
        FAIL();
    } catch (const error& e) {
        EXPECT_EQ(e.code(), status::invalid_argument);
    }
}

/// The formula's rates are those of an H200; it may find other kernels faster elsewhere.
TEST(LibraryGpuMore, RandomColumnsAreTiledWithoutMeasuring) {
    SPTUNE_NEEDS_GPU();
    cudaDeviceProp gpu{};
    SPTUNE_CUDA(cudaGetDeviceProperties(&gpu, 0));
    if (std::string(gpu.name).find("H200") == std::string::npos)
        GTEST_SKIP() << "what is fastest on an H200 says nothing of " << gpu.name;
    const Csr<float> host = generate<float, std::int32_t>(
        {"per-row", {{"rows", 1 << 18}, {"cols", 1 << 18}, {"per-row", 64}}, 3});
    const DeviceCsr<float, std::int32_t> a(host.view());
    const DeviceBuffer<float> x(wavy<float>(1 << 18));
    DeviceBuffer<float> y(1 << 18);
    plan_options options;
    options.expected_calls = 1e5;
    auto plan =
        sptune::plan(csr_view<float, std::int32_t>{a.rows, a.cols, a.row_ptr.data(),
                                                   a.col_idx.data(), a.values.data(), a.entries},
                     options);
    for (int call = 0; call < 2000 && !plan.selection().settled; ++call)
        plan.apply(x.data(), y.data());
    EXPECT_NE(plan.selection().id.find(".tiles2d."), std::string::npos) << plan.why();
}

/// Microseconds per call, the device's work included.
template <class Call>
double per_call_us(const Call& call, int calls) {
    SPTUNE_CUDA(cudaDeviceSynchronize());
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) call();
    SPTUNE_CUDA(cudaDeviceSynchronize());
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
               .count() /
           calls;
}

TEST(LibraryGpuMore, WhatItCosts) {
    SPTUNE_NEEDS_GPU();
    for (const auto& [family, rows] :
         {std::pair{"stencil-3d-27", 1000000}, std::pair{"fem", 300000},
          std::pair{"power-law", 500000}, std::pair{"uniform", 30000}}) {
        const OnDevice<double, std::int32_t> m(family, rows);
        DeviceBuffer<double> x(wavy<double>(static_cast<std::size_t>(m.a.cols)));
        DeviceBuffer<double> y(static_cast<std::size_t>(m.a.rows));
        plan_options off;
        off.variants = "*.csr.vector.t8.b256.*";
        auto plain = sptune::plan(m.view(), off);
        plain.apply(x.data(), y.data());
        const double plain_us = per_call_us([&] { plain.apply(x.data(), y.data()); }, 300);
        const auto product = [&] {
            auto_spmv(m.view(), static_cast<const double*>(x.data()), y.data());
        };
        product();  // what a process does once
        forget(m.view());
        const double first_200 = per_call_us(product, 200);
        per_call_us(product, 800);
        const double later = per_call_us(product, 300);
        const std::string why_auto = why(m.view());
        plan_options options;
        options.expected_calls = 200;
        auto plan = sptune::plan(m.view(), options);
        per_call_us([&] { plan.apply(x.data(), y.data()); }, 100);
        const double apply_us = per_call_us([&] { plan.apply(x.data(), y.data()); }, 300);
        const choice c = plan.selection();
        std::cout << family << ": " << m.a.entries << " entries; plain CSR " << plain_us
                  << " us; auto_spmv " << first_200 << " us over the first 200 calls, " << later
                  << " us later; apply of a plan for 200 calls " << apply_us << " us; selection "
                  << c.select_us << " us\n  auto_spmv: " << why_auto << "\n  plan: " << plan.why()
                  << "\n";
        EXPECT_LT(first_200, 2 * plain_us);
        EXPECT_LT(later, 1.3 * plain_us) << "a plan that never found out";
        forget(m.view());
    }
}

}  // namespace
}  // namespace sptune
