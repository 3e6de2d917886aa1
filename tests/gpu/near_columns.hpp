// What tests of kernels that keep part of x in shared memory have in common.
#pragma once

#include "kernels/spmv/hub/cuda_format.hpp"
#include "matrix/cuda/grid.hpp"
#include "tests/kernels/spmv_cases.hpp"

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <utility>

namespace sptune {

/// Of ids or names, to choose some of them for compute-sanitizer.
inline std::string glob(const char* variable) {
    const char* given = std::getenv(variable);
    return given && *given ? given : "*";
}

/// Each entry is in a column of its own choosing, and a few columns are chosen often.
inline Rows rows_with_hubs(index_t rows, index_t cols, int length, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    Rows out(static_cast<std::size_t>(rows));
    for (index_t i = 0; i < rows; ++i) {
        auto& row = out[static_cast<std::size_t>(i)];
        const int n = i % 100 == 7 ? 0 : i % 50 == 3 ? 9 * length : i % 3 ? length : 3;
        for (int e = 0; e < n; ++e) {
            const double u = uniform(random), rank = u * u * u * u * cols;
            // Hubs are anywhere, not at the left.
            row.push_back(static_cast<index_t>(static_cast<std::int64_t>(rank) * 7919 % cols));
        }
        std::sort(row.begin(), row.end());
    }
    return out;
}

/// As many entries as hub is legal for.
template <class T, class P>
Case<T, P> hub_columns(std::string name) {
    constexpr index_t kRows = 20011, kCols = 300007;
    const auto most = std::int64_t{cuda::multiprocessors()} * cuda::kMostHubColumns;
    return make<T, P>(std::move(name), kCols,
                      rows_with_hubs(kRows, kCols, static_cast<int>(1.3 * most / kRows), 26));
}

/// Whether a kernel that keeps many numbers of x in shared memory would have the room. It can be
/// tried on matrices for which it is illegal, since it would never pay.
template <class T, class P>
bool has_room(const SpmvKernel<T, P>& kernel) {
    const Params& params = kernel.variant.params;
    constexpr std::uint64_t kLeastBands = 33 << 10;
    const std::uint64_t bytes =
        kernel.variant.format == "hub"
            ? static_cast<std::uint64_t>(get(params, "k")) * sizeof(T)
            : (static_cast<std::uint64_t>(get(params, "y")) << 10) + kLeastBands;
    return bytes <= cuda::most_shared_bytes();
}
template <class T, class P>
bool keeps_columns_near(const SpmvKernel<T, P>& kernel) {
    return kernel.variant.format == "hub" || kernel.variant.format == "tiles2d";
}

}  // namespace sptune
