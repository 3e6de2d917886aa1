#include "kernels/registry.hpp"
#include "kernels/safe.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace sptune {
namespace {

std::string on_gpu(index_t rows, std::int64_t nnz, std::int64_t longest_row = -1) {
    return spmv_safe(Backend::cuda, ValueType::f64, IndexType::i32, {rows, nnz, longest_row}).id();
}

TEST(Safe, IsTheBaselineOnTheCpu) {
    EXPECT_EQ(spmv_safe(Backend::cpu, ValueType::f32, IndexType::i64, {1000, 5000, 5000}).id(),
              spmv_baseline_id(Backend::cpu, ValueType::f32, IndexType::i64));
}

TEST(Safe, DoesNotLeaveALongRowToAFewThreads) {
    EXPECT_EQ(on_gpu(1000, 5000, 2500), "spmv.cuda.csr.tiles.n512.x32.b256.f64.i32");
    EXPECT_EQ(on_gpu(1'000'000, 5'000'000, 129), "spmv.cuda.csr.tiles.n1024.x32.b256.f64.i32");
    EXPECT_EQ(on_gpu(1'000'000, 5'000'000, 128), "spmv.cuda.csr.vector.t8.b256.f64.i32");
}

TEST(Safe, GuardsAgainstARowOfUnknownLength) {
    EXPECT_EQ(on_gpu(1000, 5000), "spmv.cuda.csr.tiles.n512.x32.b256.f64.i32");
    EXPECT_EQ(on_gpu(1'000'000, 5'000'000), "spmv.cuda.csr.tiles.n1024.x32.b256.f64.i32");
}

TEST(Safe, GivesThreadsByTheRows) {
    EXPECT_EQ(on_gpu(1000, 3000, 3), "spmv.cuda.csr.vector.t8.b256.f64.i32");
    EXPECT_EQ(on_gpu(1000, 3000, 200), "spmv.cuda.csr.vector.t16.b256.f64.i32");
    EXPECT_EQ(on_gpu(1000, 90'000, 200), "spmv.cuda.csr.vector.t32.b256.f64.i32");
    EXPECT_EQ(on_gpu(0, 0, 0), "spmv.cuda.csr.vector.t2.b256.f64.i32");
}

TEST(Safe, GivesFewerThreadsWhereTheGpuIsBusy) {
    EXPECT_EQ(on_gpu(1'000'000, 5'000'000, 7), "spmv.cuda.csr.vector.t2.b256.f64.i32");
    EXPECT_EQ(on_gpu(1'000'000, 27'000'000, 27), "spmv.cuda.csr.vector.t8.b256.f64.i32");
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
