// Memory may be refused anywhere where features are found, a layout is inspected or A converted:
// that is an exception of the call, also where a parallel region asked for it. Every allocation is
// refused once.
#include "kernels/registry.hpp"
#include "tests/kernels/spmv_cases.hpp"

#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>
#include <set>

#include <gtest/gtest.h>

namespace {
constexpr std::int64_t kEndless = std::numeric_limits<std::int64_t>::max();
std::atomic<std::int64_t> granted{kEndless};

bool refused() {
    return granted != kEndless && granted-- <= 0;
}
}  // namespace

extern "C" void* __libc_memalign(std::size_t, std::size_t);
// That of Buffer.
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
    return refused() ? nullptr : __libc_memalign(alignment, bytes);
}
// That of containers. Inlined, the compiler would take one end of a pair for a mistake.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
    void* const p = refused() ? nullptr : std::malloc(bytes);
    if (!p) throw std::bad_alloc();
    return p;
}
[[gnu::noinline]] void operator delete(void* p) noexcept {
    std::free(p);
}
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept {
    std::free(p);
}

namespace sptune {
namespace {

/// How many allocations had to be granted until `run` came to its end; -1: it never did.
template <class Run>
int granted_for(Run run) {
    for (int n = 0; n < 2000; ++n) {
        granted = n;
        try {
            run();
            granted = kEndless;
            return n;
        } catch (const OutOfMemory&) {
        } catch (const std::bad_alloc&) {  // also where there is none for the words of the other
        }
        granted = kEndless;
    }
    return -1;
}

TEST(SpmvMemory, WhatIsRefusedIsAnException) {
    // Windows of more than 256 rows, diagonals, duplicates, few columns.
    Rows rows = banded_rows(1500, {-3, 0, 1, 7});
    const Rows strays = random_rows(1500, 1500, 2, 3);
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (i % 3 == 0) rows[i].insert(rows[i].end(), strays[i].begin(), strays[i].end());
    for (auto& row : rows) std::sort(row.begin(), row.end());
    const auto c = make<double, std::int32_t>("", 1500, rows);
    const auto a = c.a.view();
    EXPECT_GE(granted_for([&] { extract_features(a, 3); }), 1);
    std::set<std::string> layouts;
    for (const auto& kernel : spmv_kernels<double, std::int32_t>(Backend::cpu)) {
        const Variant& v = kernel.variant;
        if (v.vendor || !layouts.insert(v.layout).second) continue;
        const auto inspect = [&] { return kernel.inspect(a, c.features, v.params); };
        if (!inspect().illegal.empty()) continue;
        EXPECT_GE(granted_for([&] { inspect(); }), 0) << v.layout;
        EXPECT_GE(granted_for([&] { kernel.convert(a, v.params, 3); }), 1) << v.layout;
    }
}

}  // namespace
}  // namespace sptune
