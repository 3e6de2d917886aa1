#include "kernels/registry.hpp"
#include "kernels/safe.hpp"

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

namespace sptune {
namespace {

std::string on_gpu(index_t rows, std::int64_t nnz, std::int64_t longest_row = -1) {
    return spmv_safe(Backend::cuda, ValueType::f64, IndexType::i32, {rows, nnz, longest_row}).id();
}

TEST(Safe, GoesByTheRowsOnACpu) {
    const auto on_cpu = [](ValueType value, std::int64_t nnz) {
        return spmv_safe(Backend::cpu, value, IndexType::i64, {10'000, nnz, -1}).id();
    };
    EXPECT_EQ(on_cpu(ValueType::f32, 79'999), "spmv.cpu.csr.balanced.x32.l1.u1.f32.i64");
    EXPECT_EQ(on_cpu(ValueType::f32, 80'000), "spmv.cpu.csr.balanced.x32.ln.u1.f32.i64");
    EXPECT_EQ(on_cpu(ValueType::f64, 19'999), "spmv.cpu.csr.balanced.x32.l1.u1.f64.i64");
    EXPECT_EQ(on_cpu(ValueType::f64, 20'000), "spmv.cpu.csr.balanced.x32.ln.u1.f64.i64");
}

TEST(Safe, LeavesSmallMatricesToOneThread) {
    const auto on_cpu = [](index_t rows, std::int64_t nnz) {
        return spmv_safe(Backend::cpu, ValueType::f64, IndexType::i32, {rows, nnz, -1}).id();
    };
    EXPECT_EQ(on_cpu(1000, 2999), "spmv.cpu.csr.static.x32.ln.u1.w1.f64.i32");
    EXPECT_EQ(on_cpu(1000, 3000), "spmv.cpu.csr.balanced.x32.ln.u1.f64.i32");
    EXPECT_EQ(on_cpu(1000, 1000), "spmv.cpu.csr.static.x32.l1.u1.w1.f64.i32");
    EXPECT_EQ(on_cpu(0, 0), "spmv.cpu.csr.static.x32.ln.u1.w1.f64.i32");
    EXPECT_EQ(on_cpu(100'000, 100), "spmv.cpu.csr.balanced.x32.l1.u1.f64.i32");
    EXPECT_EQ(spmv_safe(Backend::cpu, ValueType::f64, IndexType::i32, {1000, 2999, -1, true}).id(),
              "spmv.cpu.csr.balanced.x32.ln.u1.f64.i32")
        << "all threads are one";
}

TEST(Safe, IsAKernelThatNeedsNoConversion) {
    const auto expect_in_place = [](const auto& kernels) {
        for (const Variant& safe :
             all_safe(Backend::cpu, kernels.front().variant.value, kernels.front().variant.index)) {
            const auto found = std::find_if(kernels.begin(), kernels.end(), [&](const auto& k) {
                return k.variant.id() == safe.id();
            });
            ASSERT_NE(found, kernels.end()) << safe.id();
            EXPECT_EQ(found->variant.layout, kernels.front().variant.layout);
        }
    };
    expect_in_place(spmv_kernels<float, std::int32_t>(Backend::cpu));
    expect_in_place(spmv_kernels<double, std::int64_t>(Backend::cpu));
}

TEST(Safe, DoesNotLeaveALongRowToAFewThreads) {
    EXPECT_EQ(on_gpu(1000, 5000, 2500), "spmv.cuda.csr.tiles.n1024.x32.b256.f64.i32");
    EXPECT_EQ(on_gpu(1'000'000, 5'000'000, 97), "spmv.cuda.csr.tiles.n1024.x32.b256.f64.i32");
    EXPECT_EQ(on_gpu(1'000'000, 5'000'000, 96), "spmv.cuda.csr.vector.t4.b256.f64.i32");
}

TEST(Safe, HasNoTilesThatRowPointersCannotCount) {
    const std::int64_t most = std::numeric_limits<std::int32_t>::max();
    EXPECT_EQ(on_gpu(1'000'000, most), "spmv.cuda.csr.vector.t32.b256.f64.i32");
    EXPECT_EQ(on_gpu(1'000'000, most - 20'000), "spmv.cuda.csr.tiles.n1024.x32.b256.f64.i32");
}

TEST(Safe, GuardsAgainstARowOfUnknownLength) {
    EXPECT_EQ(on_gpu(1000, 5000), "spmv.cuda.csr.tiles.n1024.x32.b256.f64.i32");
    EXPECT_EQ(on_gpu(1'000'000, 5'000'000), "spmv.cuda.csr.tiles.n1024.x32.b256.f64.i32");
}

TEST(Safe, GivesThreadsByTheRows) {
    EXPECT_EQ(on_gpu(1000, 3000, 3), "spmv.cuda.csr.vector.t8.b256.f64.i32");
    EXPECT_EQ(on_gpu(1000, 3000, 24), "spmv.cuda.csr.vector.t8.b256.f64.i32");
    EXPECT_EQ(on_gpu(1000, 3000, 25), "spmv.cuda.csr.vector.t16.b256.f64.i32");
    EXPECT_EQ(on_gpu(1000, 3000, 200), "spmv.cuda.csr.vector.t32.b256.f64.i32");
    EXPECT_EQ(on_gpu(1000, 90'000, 200), "spmv.cuda.csr.vector.t32.b256.f64.i32");
    EXPECT_EQ(on_gpu(0, 0, 0), "spmv.cuda.csr.vector.t2.b256.f64.i32");
}

TEST(Safe, GivesFewerThreadsWhereTheGpuIsBusy) {
    EXPECT_EQ(on_gpu(1'000'000, 5'000'000, 7), "spmv.cuda.csr.vector.t2.b256.f64.i32");
    EXPECT_EQ(on_gpu(1'000'000, 27'000'000, 27), "spmv.cuda.csr.vector.t8.b256.f64.i32");
    EXPECT_EQ(on_gpu(30'000, 300'000, 20), "spmv.cuda.csr.vector.t8.b256.f64.i32");
    EXPECT_EQ(on_gpu(40'000, 400'000, 20), "spmv.cuda.csr.vector.t4.b256.f64.i32");
    const Outline outline{30'000, 300'000, 20, 16};  // few multiprocessors are soon busy
    EXPECT_EQ(spmv_safe(Backend::cuda, ValueType::f64, IndexType::i32, outline).id(),
              "spmv.cuda.csr.vector.t2.b256.f64.i32");
}

TEST(Safe, AnswersWhatItLists) {
    const auto all = all_safe(Backend::cuda, ValueType::f64, IndexType::i32);
    for (const std::int64_t nnz : {0, 500, 2'000, 6'000, 12'000, 150'000, 200'000, 900'000})
        for (const std::int64_t longest : {-1, 0, 30, 100, 200, 256, 257, 900}) {
            const std::string id = on_gpu(1000, nnz, longest);
            EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](auto& v) { return v.id() == id; }))
                << id;
        }
}

}  // namespace
}  // namespace sptune
