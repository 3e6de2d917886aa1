// Counts what a settled plan allocates: every malloc of the process, the library's and OpenMP's
// included.
#include "tests/library/stencil.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <functional>

#include <gtest/gtest.h>

namespace {
std::atomic<long> allocations{0};
}

// glibc's own; these take the place of malloc for the shared libraries as well.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void* malloc(std::size_t bytes) {
    ++allocations;
    return __libc_malloc(bytes);
}
void* calloc(std::size_t count, std::size_t bytes) {
    ++allocations;
    return __libc_calloc(count, bytes);
}
void* realloc(void* p, std::size_t bytes) {
    ++allocations;
    return __libc_realloc(p, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
    ++allocations;
    return __libc_memalign(alignment, bytes);
}
}

namespace {

using sptune_test::Matrix;
using sptune_test::wavy;

long allocations_of(const std::function<void()>& work) {
    const long before = allocations;
    work();
    return allocations - before;
}

TEST(NoAllocation, TheCounterCounts) {
    EXPECT_GT(allocations_of([] { sptune::plan(Matrix<double, int>(100).view()); }), 50);
}

TEST(NoAllocation, ApplyOfAPlanThatIsSettled) {
    const Matrix<double, int> m(5000);
    const auto x = wavy<double>(5000);
    std::vector<double> y(5000);
    for (const char* variants : {"*", "*.sell.*", "*.bsr.*", "*.csr.*"}) {
        sptune::plan_options options;
        options.expected_calls = 1e6;
        options.variants = variants;
        auto plan = sptune::plan(m.view(), options);
        for (int n = 0; n < 300; ++n) plan.apply(x.data(), y.data());
        ASSERT_TRUE(plan.selection().settled) << plan.why();
        const long count = allocations_of([&] {
            for (int n = 0; n < 200; ++n) plan.apply(2, x.data(), 0.5, y.data());
        });
        EXPECT_EQ(count, 0) << variants << ": " << plan.why();
    }
}

TEST(NoAllocation, FromTheFirstCallWithoutTrials) {
    const Matrix<double, int> m(5000);
    const auto x = wavy<double>(5000);
    std::vector<double> y(5000);
    sptune::auto_spmv(m.view(), x, y);  // OpenMP makes its threads once
    sptune::plan_options options;
    options.expected_calls = 1e6;
    options.online = sptune::online::never;
    auto plan = sptune::plan(m.view(), options);
    EXPECT_EQ(allocations_of([&] {
                  for (int n = 0; n < 100; ++n) plan.apply(x.data(), y.data());
              }),
              0);
}

TEST(NoAllocation, SeveralVectorsAfterTheFirstCalls) {
    const Matrix<double, int> m(5000);
    const auto x = wavy<double>(5000 * 9);
    std::vector<double> y(5000 * 9);
    sptune::plan_options options;
    options.expected_calls = 1e6;
    auto plan = sptune::plan(m.view(), options);
    const auto calls = [&](int n) {
        while (n-- > 0) {
            plan.apply_many(1, x.data(), 5000, 0, y.data(), 5000, 9);
            plan.apply_many_rows(1, x.data(), 9, 0, y.data(), 9, 9);
        }
    };
    calls(50);
    for (int call = 0; call < 2000 && !plan.selection().settled; ++call)
        plan.apply(x.data(), y.data());
    // On a busy machine it may come to doubts, and go on for a while; but not again and again.
    long least = allocations_of([&] { calls(100); });
    for (int window = 0; window < 50 && least > 0; ++window)
        least = std::min(least, allocations_of([&] { calls(100); }));
    EXPECT_EQ(least, 0) << plan.why();
}

TEST(NoAllocation, RepeatedAutoSpmv) {
    const Matrix<double, int> m(5000);
    const auto x = wavy<double>(5000);
    std::vector<double> y(5000);
    const auto calls = [&](int n) {
        while (n-- > 0) sptune::auto_spmv(m.view(), x, y);
    };
    calls(300);
    // A choice and its trials may come at any time; but not again and again.
    long least = allocations_of([&] { calls(200); });
    for (int window = 0; window < 50 && least > 0; ++window)
        least = std::min(least, allocations_of([&] { calls(200); }));
    EXPECT_EQ(least, 0);
}

}  // namespace
