#include "kernels/safe.hpp"

#include "kernels/registry.hpp"

#include <algorithm>

namespace sptune {
namespace {

/// Below, a GPU waits more than it works. From the sweeps of 102 matrices on an H200 (f64): with
/// the rules of this file 0.63 of the time of cuSPARSE's CSR in geometric mean and 1.12 at worst,
/// with large tiles for all 0.75 and 1.31, with 32 threads per row for all 1.1 and 143.
constexpr std::int64_t kSmall = 200'000;
constexpr std::int64_t kShortRow = 256;

Variant csr(ValueType value, IndexType index, const char* algorithm, std::vector<Param> params) {
    Variant v = spmv_baseline(Backend::cuda, value, index);
    v.algorithm = algorithm;
    v.params = std::move(params);
    return v;
}

Variant tiles(ValueType value, IndexType index, bool small) {
    return csr(value, index, "tiles", {{"n", small ? 512 : 1024}, {"x", 32}, {"b", 256}});
}

Variant threads_per_row(ValueType value, IndexType index, int threads) {
    return csr(value, index, "vector", {{"t", threads}, {"b", 256}});
}

/// As many as leave each thread a few entries of the mean row and 16 of the longest.
int threads_for(const Outline& o) {
    const double mean = static_cast<double>(o.nnz) / std::max(o.rows, index_t{1});
    const int threads = mean > 24 ? 32 : mean > 8 ? 16 : mean > 3 ? 8 : 4;
    return o.longest_row > 16 * threads ? std::min(2 * threads, 32) : threads;
}

}  // namespace

bool safe_depends_on_rows(Backend backend, const Outline& outline) {
    return backend == Backend::cuda && outline.nnz < kSmall;
}

Variant spmv_safe(Backend backend, ValueType value, IndexType index, const Outline& outline) {
    if (backend == Backend::cpu) return spmv_baseline(backend, value, index);
    const bool small = safe_depends_on_rows(backend, outline);
    if (small && outline.longest_row >= 0 && outline.longest_row <= kShortRow)
        return threads_per_row(value, index, threads_for(outline));
    return tiles(value, index, small);
}

std::vector<Variant> all_safe(Backend backend, ValueType value, IndexType index) {
    if (backend == Backend::cpu) return {spmv_baseline(backend, value, index)};
    std::vector<Variant> all{tiles(value, index, false), tiles(value, index, true)};
    for (const int threads : {4, 8, 16, 32}) all.push_back(threads_per_row(value, index, threads));
    return all;
}

}  // namespace sptune
