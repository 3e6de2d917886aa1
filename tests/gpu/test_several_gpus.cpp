// Plans and memory where threads go from one GPU to another.
#include "matrix/cuda/device_csr.hpp"
#include "matrix/cuda/on_device.hpp"
#include "matrix/generate.hpp"
#include "sptune/sptune.hpp"
#include "tests/gpu/needs_gpu.hpp"

#include <cmath>
#include <optional>
#include <string>
#include <thread>

namespace sptune {
namespace {

class SeveralGpus : public testing::Test {
  protected:
    void SetUp() override {
        SPTUNE_NEEDS_GPU();
        if (cuda::device_count() < 2) GTEST_SKIP() << "one GPU is here, two are needed";
        SPTUNE_CUDA(cudaSetDevice(0));
        host_ = generate<double>({"fem", {{"rows", 20000}}, 3});
        there_.emplace(host_.view());
        x_.emplace(Buffer<double>(static_cast<std::size_t>(host_.cols), 1.0));
        y_.emplace(static_cast<std::size_t>(host_.rows));
    }
    void TearDown() override { cudaSetDevice(0); }

    csr_view<double> view() const {
        const DeviceCsr<double>& a = *there_;
        return {a.rows, a.cols, a.row_ptr.data(), a.col_idx.data(), a.values.data(), a.entries};
    }
    /// Sums of rows, since x is all ones.
    void expect_right() {
        const Buffer<double> y = y_->to_host();
        for (std::size_t i = 0; i < y.size(); ++i) {
            double sum = 0;
            for (int k = host_.row_ptr[i]; k < host_.row_ptr[i + 1]; ++k)
                sum += host_.values[static_cast<std::size_t>(k)];
            ASSERT_NEAR(y[i], sum, 1e-12 * (1 + std::abs(sum))) << i;
        }
        y_->fill_bytes(0xff);
    }
    static int current() {
        int device = -1;
        EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
        return device;
    }

    Csr<double> host_;
    std::optional<DeviceCsr<double>> there_;
    std::optional<DeviceBuffer<double>> x_, y_;
};

TEST_F(SeveralGpus, APlanStaysOnItsOwn) {
    std::optional<spmv_plan<double>> p(plan(view()));
    std::thread([&] {
        SPTUNE_CUDA(cudaSetDevice(1));
        for (int call = 0; call < 300; ++call) p->apply(x_->data(), y_->data());
        p.reset();  // calls may be under way on the other GPU
        EXPECT_EQ(current(), 1);
    }).join();
    SPTUNE_CUDA(cudaDeviceSynchronize());
    expect_right();
}

/// With copies in memory that grows, on the plan's own GPU.
TEST_F(SeveralGpus, SeveralVectorsFromAnother) {
    plan_options options;
    options.online = online::never;
    std::optional<spmv_plan<double>> p(plan(view(), options));
    const auto n = static_cast<std::size_t>(host_.rows);
    constexpr std::size_t kFew = 9, kMost = 33;
    const DeviceBuffer<double> x(Buffer<double>(kMost * n, 1.0));
    for (const std::size_t count : {kFew, kMost})
        for (const bool by_rows : {false, true}) {
            DeviceBuffer<double> y(kMost * n);
            y.fill_bytes(0xff);
            SPTUNE_CUDA(cudaDeviceSynchronize());
            std::thread([&] {
                SPTUNE_CUDA(cudaSetDevice(1));
                if (by_rows)
                    p->apply_many_rows(1, x.data(), kMost, 0, y.data(), kMost, count);
                else
                    p->apply_many(1, x.data(), n, 0, y.data(), n, count);
                if (by_rows && count == kMost) p.reset();
                EXPECT_EQ(current(), 1);
            }).join();
            SPTUNE_CUDA(cudaDeviceSynchronize());
            const Buffer<double> all = y.to_host();
            for (std::size_t j = 0; j < count; j += 8) {
                Buffer<double> one(n);
                for (std::size_t i = 0; i < n; ++i)
                    one[i] = all[by_rows ? i * kMost + j : i + j * n];
                y_.emplace(one);
                expect_right();
            }
        }
}

TEST_F(SeveralGpus, ValuesOfATransposedPlanAreUpdatedFromAnother) {
    plan_options options;
    options.transposed = true;
    spmv_plan<double> p = plan(view(), options);
    p.apply(x_->data(), y_->data());
    Buffer<double> twice(host_.values.size());
    for (std::size_t k = 0; k < twice.size(); ++k) twice[k] = 2 * host_.values[k];
    const DeviceBuffer<double> values(twice.data(), twice.size());
    std::thread([&] {
        SPTUNE_CUDA(cudaSetDevice(1));
        p.update_values(values.data());
        EXPECT_EQ(current(), 1);
    }).join();
    for (int call = 0; call < 100; ++call) p.apply(x_->data(), y_->data());
    SPTUNE_CUDA(cudaDeviceSynchronize());
    Buffer<double> sums(static_cast<std::size_t>(host_.cols), 0.0);
    for (std::size_t k = 0; k < twice.size(); ++k) sums[host_.col_idx[k]] += twice[k];
    const Buffer<double> y = y_->to_host();
    for (std::size_t j = 0; j < y.size(); ++j)
        ASSERT_NEAR(y[j], sums[j], 1e-12 * (1 + std::abs(sums[j]))) << j;
}

TEST_F(SeveralGpus, AutoSpmvFindsThePlanFromAnother) {
    for (int call = 0; call < 50; ++call) auto_spmv(view(), x_->data(), y_->data());
    expect_right();
    SPTUNE_CUDA(cudaSetDevice(1));
    for (int call = 0; call < 200; ++call) auto_spmv(view(), x_->data(), y_->data());
    EXPECT_EQ(current(), 1);
    SPTUNE_CUDA(cudaSetDevice(0));
    SPTUNE_CUDA(cudaDeviceSynchronize());
    expect_right();
    SPTUNE_CUDA(cudaSetDevice(1));
    forget(view());
    EXPECT_EQ(current(), 1);
}

TEST_F(SeveralGpus, AMatrixElsewhereIsRefused) {
    SPTUNE_CUDA(cudaSetDevice(1));
    try {
        plan(view());
        FAIL() << "a plan for a matrix on another GPU";
    } catch (const error& e) {
        EXPECT_NE(std::string(e.what()).find("on another GPU"), std::string::npos) << e.what();
    }
}

TEST_F(SeveralGpus, MemoryGoesBackToItsOwn) {
    const auto reserved = [](int device) {
        SPTUNE_CUDA(cudaSetDevice(device));
        SPTUNE_CUDA(cudaDeviceSynchronize());
        return device_available_memory();
    };
    const std::uint64_t first = reserved(0), second = reserved(1);
    constexpr std::size_t kBytes = 256 << 20;
    SPTUNE_CUDA(cudaSetDevice(0));
    {
        std::optional<DeviceBuffer<char>> buffer(kBytes);
        EXPECT_LE(reserved(0), first - kBytes);
        SPTUNE_CUDA(cudaSetDevice(1));
        buffer.reset();
        EXPECT_EQ(current(), 1);
    }
    constexpr std::uint64_t kOther = 64 << 20;  // what the driver takes meanwhile
    EXPECT_GE(reserved(0) + kOther, first);
    EXPECT_GE(reserved(1) + kOther, second);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

}  // namespace
}  // namespace sptune
