// Runs a kernel with several α and β at once and compares with the reference: one transfer each way
// for all of them, as thousands of kernels meet dozens of matrices.
#pragma once

#include "kernels/spmv/kernel.hpp"
#include "matrix/cuda/device_csr.hpp"
#include "tests/kernels/spmv_cases.hpp"

#include <array>
#include <cstring>
#include <sstream>

namespace sptune {

/// A stream that the default stream does not wait for: a kernel in the wrong one shows.
class TestStream {
  public:
    TestStream() { SPTUNE_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
    TestStream(const TestStream&) = delete;
    TestStream& operator=(const TestStream&) = delete;
    ~TestStream() { cudaStreamDestroy(stream_); }
    operator cudaStream_t() const { return stream_; }

  private:
    cudaStream_t stream_ = nullptr;
};

/// A case on the GPU, with a y for each run and guards around them.
template <class T, class P>
class SpmvRuns {
  public:
    explicit SpmvRuns(const Case<T, P>& c)
        : c_(c), a_(c.a.view()), x_(c.x), stride_((rows() + 2 * kGuard - 1) / kGuard * kGuard) {
        Buffer<T> y(stride_ * kScales.size() + kGuard, kCanary);
        for (std::size_t s = 0; s < kScales.size(); ++s)
            for (std::size_t i = 0; i < rows(); ++i)
                y[at(s, i)] =
                    kScales[s].beta == 0 ? std::numeric_limits<T>::quiet_NaN() : c.before[i];
        initial_ = DeviceBuffer<T>(y);
        y_ = DeviceBuffer<T>(y.size());
        host_ = std::move(y);
        SPTUNE_CUDA(cudaStreamSynchronize(nullptr));  // copies may still be under way
    }
    CsrView<T, P> view() const { return a_.view(); }

    /// Runs everything once and returns what is wrong, or an empty string.
    std::string wrong(const SpmvKernel<T, P>& kernel, const Storage& storage, cudaStream_t stream) {
        run(kernel, storage, kScales.size(), stream);
        const Buffer<T>& y = host_;
        for (std::size_t s = 0; s < kScales.size(); ++s) {
            const auto [alpha, beta] = kScales[s];
            for (std::size_t i = 0; i < rows(); ++i) {
                const auto row = static_cast<index_t>(i);
                if (c_.accepts(row, T(alpha), T(beta), y[at(s, i)])) continue;
                std::ostringstream words;
                words.precision(17);
                words << "row " << i << " of " << rows() << " is " << y[at(s, i)] << ", expected "
                      << c_.expected(row, T(alpha), T(beta)) << " ± "
                      << c_.allowed(row, T(alpha), T(beta)) << " (α = " << alpha << ", β = " << beta
                      << ")";
                return words.str();
            }
        }
        if (!guards_hold()) return "wrote beside y";
        if (!kernel.variant.deterministic) return {};
        const std::vector<T> first(host_.begin() + at(0, 0), host_.begin() + at(0, rows()));
        run(kernel, storage, 1, stream);
        if (rows() && std::memcmp(first.data(), &host_[at(0, 0)], rows() * sizeof(T)) != 0)
            return "is said to be deterministic, but two runs differ";
        return {};
    }

    /// The first run (α = 1, β = 0), recorded in a graph and played twice; what is wrong.
    std::string wrong_in_graph(const SpmvKernel<T, P>& kernel, const Storage& storage,
                               cudaStream_t stream) {
        reset(1, stream);
        SPTUNE_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        cudaGraph_t graph = nullptr;
        try {
            apply(kernel, storage, 0, stream);
        } catch (const Error& refused) {
            cudaStreamEndCapture(stream, &graph);
            cudaGetLastError();
            return refused.what();
        }
        SPTUNE_CUDA(cudaStreamEndCapture(stream, &graph));
        cudaGraphExec_t ready = nullptr;
        SPTUNE_CUDA(cudaGraphInstantiate(&ready, graph, 0));
        for (int play = 0; play < 2; ++play) SPTUNE_CUDA(cudaGraphLaunch(ready, stream));
        download(1, stream);
        cudaGraphExecDestroy(ready);
        cudaGraphDestroy(graph);
        for (std::size_t i = 0; i < rows(); ++i)
            if (!c_.accepts(static_cast<index_t>(i), T{1}, T{0}, host_[at(0, i)]))
                return "row " + std::to_string(i) + " is wrong";
        return {};
    }

  private:
    struct Scale {
        double alpha, beta;
    };
    static constexpr std::array<Scale, 5> kScales{{{1, 0}, {0, 0}, {2, -0.5}, {0, 1}, {1, 1}}};
    static constexpr std::size_t kGuard = 64;  // keeps each y aligned, too
    static constexpr T kCanary = T(12345.5);

    std::size_t rows() const { return static_cast<std::size_t>(c_.a.rows); }
    std::size_t at(std::size_t scale, std::size_t row) const {
        return kGuard + scale * stride_ + row;
    }
    void apply(const SpmvKernel<T, P>& kernel, const Storage& storage, std::size_t s,
               cudaStream_t stream) {
        kernel.apply(storage, T(kScales[s].alpha), x_.data(), T(kScales[s].beta),
                     y_.data() + at(s, 0), {.threads = 1, .stream = stream});
    }
    /// Bytes of the first `scales` vectors with their guards.
    std::size_t bytes(std::size_t scales) const { return at(scales, 0) * sizeof(T); }
    void reset(std::size_t scales, cudaStream_t stream) {
        SPTUNE_CUDA(cudaMemcpyAsync(y_.data(), initial_.data(), bytes(scales),
                                    cudaMemcpyDeviceToDevice, stream));
    }
    void download(std::size_t scales, cudaStream_t stream) {
        SPTUNE_CUDA(cudaMemcpyAsync(host_.data(), y_.data(), bytes(scales), cudaMemcpyDeviceToHost,
                                    stream));
        SPTUNE_CUDA(cudaStreamSynchronize(stream));
    }
    void run(const SpmvKernel<T, P>& kernel, const Storage& storage, std::size_t scales,
             cudaStream_t stream) {
        reset(scales, stream);
        for (std::size_t s = 0; s < scales; ++s) apply(kernel, storage, s, stream);
        download(scales, stream);
    }
    bool guards_hold() const {
        const Buffer<T>& y = host_;
        std::size_t next = 0;  // behind the last y that was passed
        for (std::size_t s = 0; s < kScales.size(); ++s) {
            for (; next < at(s, 0); ++next)
                if (y[next] != kCanary) return false;
            next = at(s, rows());
        }
        for (; next < y.size(); ++next)
            if (y[next] != kCanary) return false;
        return true;
    }

    const Case<T, P>& c_;
    DeviceCsr<T, P> a_;
    DeviceBuffer<T> x_;
    std::size_t stride_;
    DeviceBuffer<T> initial_, y_;
    Buffer<T> host_;  ///< y as it came back
};

}  // namespace sptune
