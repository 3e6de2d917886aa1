// auto_spgemm with matrices in GPU memory, against the same on the host.
#include "matrix/cuda/copy_csr.hpp"
#include "matrix/cuda/device_csr.hpp"
#include "matrix/generate.hpp"
#include "sptune/sptune.hpp"
#include "tests/gpu/needs_gpu.hpp"

#include <chrono>
#include <cmath>
#include <limits>
#include <string>
#include <thread>
#include <vector>

namespace sptune {
namespace {

template <class T, class P>
csr_view<T, P> view_of(const DeviceCsr<T, P>& a) {
    return {a.rows, a.cols, a.row_ptr.data(), a.col_idx.data(), a.values.data(), a.entries};
}
template <class T, class P>
csr_view<T, P> view_of(const Csr<T, P>& a) {
    return {a.rows, a.cols, a.row_ptr.data(), a.col_idx.data(), a.values.data(), a.nnz()};
}
template <class T, class P>
Csr<T, P> made(const char* family, int rows) {
    return generate<T, P>({family, {{"rows", rows}}, 3});
}

/// The same positions, and values to rounding of sums of positive and negative terms.
template <class T, class P>
void expect_equal(const csr_matrix<T, P>& gpu, const csr_matrix<T, P>& cpu) {
    const csr_view<T, P> there = gpu.view(), c = cpu.view();
    ASSERT_EQ(gpu.location(), backend::cuda);
    ASSERT_EQ(cpu.location(), backend::cpu);
    ASSERT_EQ(there.rows, c.rows);
    ASSERT_EQ(there.cols, c.cols);
    ASSERT_EQ(there.nnz, c.nnz);
    const Csr<T, P> copy = copy_to_host(CsrView<T, P>{there.rows, there.cols, there.row_ptr,
                                                      there.col_idx, there.values, there.nnz});
    for (std::int32_t i = 0; i <= c.rows; ++i)
        ASSERT_EQ(copy.row_ptr[static_cast<std::size_t>(i)], c.row_ptr[i]) << i;
    double largest = 1;
    for (P k = 0; k < c.nnz; ++k) largest = std::max(largest, std::abs(double(c.values[k])));
    const double tolerance = 1000 * double(std::numeric_limits<T>::epsilon()) * largest;
    for (P k = 0; k < c.nnz; ++k) {
        ASSERT_EQ(copy.col_idx[static_cast<std::size_t>(k)], c.col_idx[k]) << k;
        ASSERT_NEAR(copy.values[static_cast<std::size_t>(k)], c.values[k], tolerance) << k;
    }
}

template <class Work>
std::string complaint(const Work& work, status expected) {
    try {
        work();
    } catch (const error& e) {
        EXPECT_EQ(e.code(), expected) << e.what();
        return e.what();
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
}

/// Bytes of the GPU that nobody has, after all work. The library keeps what is
/// given back to it.
std::uint64_t free_memory() {
    SPTUNE_CUDA(cudaDeviceSynchronize());
    std::size_t free = 0, total = 0;
    SPTUNE_CUDA(cudaMemGetInfo(&free, &total));
    return free;
}

class NonBlocking {
  public:
    NonBlocking() { SPTUNE_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
    ~NonBlocking() { cudaStreamDestroy(stream_); }
    NonBlocking(const NonBlocking&) = delete;
    NonBlocking& operator=(const NonBlocking&) = delete;
    operator cudaStream_t() const { return stream_; }

  private:
    cudaStream_t stream_ = nullptr;
};

template <class Types>
class LibrarySpgemmGpu : public testing::Test {
  protected:
    void SetUp() override { SPTUNE_NEEDS_GPU(); }
};
using AllTypes = testing::Types<std::pair<float, std::int32_t>, std::pair<float, std::int64_t>,
                                std::pair<double, std::int32_t>, std::pair<double, std::int64_t>>;
TYPED_TEST_SUITE(LibrarySpgemmGpu, AllTypes);

TYPED_TEST(LibrarySpgemmGpu, IsWhatTheHostComputes) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    for (const char* family : {"fem", "power-law", "uniform", "stencil-2d-5"}) {
        SCOPED_TRACE(family);
        const auto a = made<T, P>(family, 3000);
        const DeviceCsr<T, P> there(a.view());
        const auto c = auto_spgemm(view_of(there), view_of(there));
        EXPECT_EQ(c.source(), "model");
        EXPECT_NE(c.made_by().find("spgemm.cuda."), std::string::npos) << c.made_by();
        expect_equal(c, auto_spgemm(view_of(a), view_of(a)));
    }
}

TYPED_TEST(LibrarySpgemmGpu, DifferentMatricesOptionsAndVariants) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    const auto b = made<T, P>("fem", 2500);  // its rows come in blocks, so maybe not 2500
    const auto a = made<T, P>("uniform", b.rows);
    ASSERT_EQ(a.cols, b.rows);
    const DeviceCsr<T, P> da(a.view()), db(b.view());
    spgemm_options options;
    options.drop_zeros = true;
    expect_equal(auto_spgemm(view_of(da), view_of(db), options),
                 auto_spgemm(view_of(a), view_of(b), options));
    spgemm_options named;
    const std::string id = auto_spgemm(view_of(da), view_of(db)).made_by();
    named.variant = id.c_str();
    const auto c = auto_spgemm(view_of(da), view_of(db), named);
    EXPECT_EQ(c.source(), "asked for");
    EXPECT_EQ(c.made_by(), id);
    expect_equal(c, auto_spgemm(view_of(a), view_of(b)));
    // From host memory to host memory, by the GPU.
    spgemm_options copied;
    copied.backend = backend::cuda;
    const auto back = auto_spgemm(view_of(a), view_of(b), copied);
    EXPECT_EQ(back.location(), backend::cpu);
    EXPECT_NE(back.made_by().find("spgemm.cuda."), std::string::npos);
}

TYPED_TEST(LibrarySpgemmGpu, TheResultIsReadyForOthers) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    const auto a = made<T, P>("fem", 3000);
    const DeviceCsr<T, P> there(a.view());
    auto first = auto_spgemm(view_of(there), view_of(there));
    const auto c = std::move(first);  // the arrays stay where they are
    Buffer<T> ones(static_cast<std::size_t>(a.cols), T{1});
    const DeviceBuffer<T> x(ones);
    DeviceBuffer<T> y(ones.size()), once(ones.size()), twice(ones.size());
    auto_spmv(c.view(), static_cast<const T*>(x.data()), y.data());
    auto_spmv(view_of(there), static_cast<const T*>(x.data()), once.data());
    auto_spmv(view_of(there), static_cast<const T*>(once.data()), twice.data());
    const Buffer<T> got = y.to_host(), expected = twice.to_host();
    double largest = 1;
    for (const T v : expected) largest = std::max(largest, std::abs(double(v)));
    for (std::size_t i = 0; i < got.size(); ++i)
        ASSERT_NEAR(got[i], expected[i],
                    5000 * double(std::numeric_limits<T>::epsilon()) * largest);
    forget(c.view());
    forget(view_of(there));
}

/// A matrix that arrives late in a stream that nothing else waits for.
TYPED_TEST(LibrarySpgemmGpu, WaitsForTheStream) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    const auto a = made<T, P>("fem", 3000);
    const DeviceCsr<T, P> ready(a.view());
    DeviceCsr<T, P> late(a.view());
    const NonBlocking stream;
    for (int repeat = 0; repeat < 5; ++repeat) {
        late.values.fill_bytes(0xff);
        late.col_idx.fill_bytes(0);
        late.row_ptr.fill_bytes(0);
        SPTUNE_CUDA(cudaDeviceSynchronize());
        SPTUNE_CUDA(cudaLaunchHostFunc(
            stream, [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(50)); },
            nullptr));
        SPTUNE_CUDA(cudaMemcpyAsync(late.values.data(), ready.values.data(), ready.values.bytes(),
                                    cudaMemcpyDeviceToDevice, stream));
        SPTUNE_CUDA(cudaMemcpyAsync(late.col_idx.data(), ready.col_idx.data(),
                                    ready.col_idx.bytes(), cudaMemcpyDeviceToDevice, stream));
        SPTUNE_CUDA(cudaMemcpyAsync(late.row_ptr.data(), ready.row_ptr.data(),
                                    ready.row_ptr.bytes(), cudaMemcpyDeviceToDevice, stream));
        csr_view<T, P> uncounted = view_of(late);
        uncounted.nnz = -1;
        spgemm_options options;
        options.stream = stream;
        expect_equal(auto_spgemm(uncounted, uncounted, options),
                     auto_spgemm(view_of(a), view_of(a)));
    }
}

TYPED_TEST(LibrarySpgemmGpu, RepeatedCallsKeepNoMemory) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    const auto a = made<T, P>("power-law", 4000);
    const DeviceCsr<T, P> there(a.view());
    const auto call = [&] { return auto_spgemm(view_of(there), view_of(there)); };
    for (int i = 0; i < 5; ++i) call();
    const std::uint64_t before = free_memory();
    for (int i = 0; i < 100; ++i) call();
    EXPECT_EQ(free_memory(), before);
    // So many results that what is kept does not do; given back, they make room for as many.
    constexpr std::size_t kMost = 10000;
    std::vector<csr_matrix<T, P>> kept;
    while (free_memory() == before && kept.size() < kMost) kept.push_back(call());
    const std::size_t count = kept.size();
    const std::uint64_t least = free_memory();
    ASSERT_LT(least, before);
    for (int round = 0; round < 3; ++round) {
        kept.clear();
        while (kept.size() < count) kept.push_back(call());
        EXPECT_EQ(free_memory(), least) << "what was kept has not been given back";
    }
}

TEST(LibrarySpgemmGpuMore, ErrorsAreInWords) {
    SPTUNE_NEEDS_GPU();
    const auto a = made<double, std::int32_t>("fem", 1000),
               other = made<double, std::int32_t>("fem", 2000);
    const DeviceCsr<double> there(a.view()), larger(other.view());
    const auto mixed = [&] { auto_spgemm(view_of(there), view_of(a)); };
    EXPECT_NE(complaint(mixed, status::invalid_argument)
                  .find("A lies in the memory of a GPU and B in host memory"),
              std::string::npos);
    const auto halves = [&] {
        csr_view<double> half = view_of(there);
        half.values = a.values.data();
        auto_spgemm(half, view_of(there));
    };
    EXPECT_NE(complaint(halves, status::invalid_argument).find("partly"), std::string::npos);
    const auto sizes = [&] { auto_spgemm(view_of(there), view_of(larger)); };
    EXPECT_NE(complaint(sizes, status::invalid_argument).find("columns of A"), std::string::npos);
    spgemm_options options;
    options.backend = backend::cpu;
    const auto cpu = [&] { auto_spgemm(view_of(there), view_of(there), options); };
    EXPECT_NE(complaint(cpu, status::unmet_constraint).find("backend"), std::string::npos);
    options = {};
    options.variant = "spgemm.cuda.no.such.f64.i32";
    const auto unknown = [&] { auto_spgemm(view_of(there), view_of(there), options); };
    EXPECT_NE(complaint(unknown, status::invalid_argument).find("no.such"), std::string::npos);
    options = {};
    options.memory_bytes = 1000;
    complaint([&] { auto_spgemm(view_of(there), view_of(there), options); },
              status::unmet_constraint);
}

TEST(LibrarySpgemmGpuMore, EmptyMatrices) {
    SPTUNE_NEEDS_GPU();
    const DeviceBuffer<std::int32_t> zeros(Buffer<std::int32_t>(6, 0));
    const csr_view<double> hollow{5, 5, zeros.data(), nullptr, nullptr, 0};
    const auto c = auto_spgemm(hollow, hollow);
    EXPECT_EQ(c.view().nnz, 0);
    EXPECT_EQ(c.view().rows, 5);
    EXPECT_EQ(c.location(), backend::cuda);
    // Nothing at all lies nowhere: it goes with the other one.
    const csr_view<double> nothing{0, 5, nullptr, nullptr, nullptr, 0};
    EXPECT_EQ(auto_spgemm(nothing, hollow).view().rows, 0);
    const auto a = made<double, std::int32_t>("fem", 1000);
    EXPECT_EQ(auto_spgemm(csr_view<double>{0, a.rows, nullptr, nullptr, nullptr, 0}, view_of(a))
                  .location(),
              backend::cpu);
}

}  // namespace
}  // namespace sptune
