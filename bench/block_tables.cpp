#include "bench/block_tables.hpp"

#include "bench/medians.hpp"
#include "bench/random_blocks.hpp"
#include "kernels/spgemm/blocks/product.hpp"
#include "kernels/spgemm/blocks/tiles.hpp"
#include "matrix/cuda/grid.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

#include <fmt/format.h>

namespace sptune::bench {
namespace {

/// FMAs per second that the GPU can start in f32.
double peak_fma() {
    int clock_khz = 0, device = 0;
    SPTUNE_CUDA(cudaGetDevice(&device));
    SPTUNE_CUDA(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, device));
    return 128.0 * cuda::multiprocessors() * clock_khz * 1e3;
}

template <class V>
const char* name_of() {
    return std::is_same_v<V, float> ? "f32" : std::is_same_v<V, double> ? "f64" : "u32, saturating";
}

/// One line of a block table; the slow walks only for small products.
template <class V>
void block_line(index_t n, int m, double share, bool walks) {
    auto a = random_blocks<V>(n, m, share, 1), b = random_blocks<V>(n, m, share, 2);
    const double work = multiply_adds(a, b);
    const auto size = std::int64_t{n} * n;
    DeviceBuffer<V> c(static_cast<std::size_t>(size));
    double ms[4] = {};
    const Run nothing = [] {};
    const cuda::BlockColumns columns = cuda::columns_of(b);
    if (walks)
        for (const auto walk :
             {cuda::BlockWalk::merge, cuda::BlockWalk::search, cuda::BlockWalk::rows})
            ms[1 + static_cast<int>(walk)] = device_ms(nothing, [&] {
                cuda::multiply_blocks<V>(walk, a, b, &columns, false, {nullptr, c.data()});
            });
    if (cuda::tiles_work()) {
        const auto tiles = [&](const cuda::BlockMatrix<V>& blocks, cuda::Side side) {
            return m == cuda::kTile ? cuda::tiles_of(blocks, side)
                                    : cuda::tiles_of(cuda::regroup(blocks, cuda::kTile), side);
        };
        const auto left = tiles(a, cuda::Side::left), right = tiles(b, cuda::Side::right);
        ms[0] = device_ms(nothing, [&] { cuda::multiply_tiles(left, right, c.data()); });
    }
    // Three block rows again, by another kernel.
    double difference = 0;
    for (const index_t row : {index_t{0}, a.block_rows() / 2, a.block_rows() - 1}) {
        if (!cuda::tiles_work()) break;
        DeviceBuffer<V> slab(static_cast<std::size_t>(m) * static_cast<std::size_t>(n));
        cuda::multiply_blocks<V>(cuda::BlockWalk::merge, block_row_of(a, row), b, &columns, false,
                                 {nullptr, slab.data()});
        difference =
            std::max(difference, largest_difference(c.data() + std::int64_t{row} * m * n,
                                                    slab.data(), std::int64_t{m} * n, 1.0));
    }
    const auto time = [](double t) { return t > 0 ? fmt::format("{:.2f}", t) : std::string("–"); };
    const double floor = 1e3 * work / peak_fma();
    fmt::print(
        "| {} | {} | {:.2f} M, {:.2f} M | {} | {:.3g} | {} | {:.0f} % | {} | {} | {} | "
        "{:.1e} |\n",
        n, m, static_cast<double>(a.blocks()) * 1e-6, static_cast<double>(b.blocks()) * 1e-6,
        name_of<V>(), work, time(ms[0]), ms[0] > 0 ? 100 * floor / ms[0] : 0, time(ms[1]),
        time(ms[2]), time(ms[3]), difference);
    std::fflush(stdout);
}

void block_head(const char* title) {
    fmt::print(
        "\n## {}\n\nKernels alone in ms, dense output. Floor: multiply-adds of existing pairs "
        "of blocks / {:.1f} T f32 FMA/s. Difference: of three block rows, to merge.\n\n"
        "| n | m | blocks of A, B | numbers | multiply-adds | tiles | of the floor | merge | "
        "search | rows | difference |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
        title, peak_fma() * 1e-12);
}

}  // namespace

void block_tables() {
    block_head("Block products");
    for (const index_t n : {8192, 16384, 32768})
        for (const int m : {4, 8})
            for (const double share : {0.01, 0.1, 0.5}) {
                const bool walks = n == 8192 || (n == 16384 && share < 0.5) || share < 0.05;
                block_line<float>(n, m, share, walks);
                block_line<std::uint32_t>(n, m, share, walks);
            }
}

void block_record() {
    block_head("n = 32768, m = 8, 8.8 M blocks each");
    constexpr double share = 8.8e6 / (4096.0 * 4096.0);
    block_line<float>(32768, 8, share, false);
    block_line<std::uint32_t>(32768, 8, share, false);
    block_line<double>(32768, 8, share, false);
}

}  // namespace sptune::bench
