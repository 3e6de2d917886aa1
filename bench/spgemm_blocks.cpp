// Products of random blocked matrices on the CPU, as a table: every search, f32, f64 and saturating
// unsigned, blocks of 4 × 4 and 8 × 8.
//
//   bench_spgemm_blocks [ROWS [SHARE [M]]]   rows and columns (2048), share of occupied blocks
//   (0.5),
//                                            block size (4 and 8)
//
// Times are processor times of all threads together, the less of two runs, C included.
#include "kernels/parallel.hpp"
#include "kernels/spgemm/blocks.hpp"
#include "matrix/counter_random.hpp"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

namespace {

using namespace sptune;

template <class V>
BlockCsr<V> random_blocks(index_t n, int m, double share, std::uint64_t seed) {
    BlockCsr<V> a;
    a.m = m;
    a.rows = a.cols = n;
    const auto grid = static_cast<std::size_t>(a.block_rows());
    a.ptr = Buffer<std::int64_t>(grid + 1, 0);
    std::vector<index_t> columns;
    for (std::size_t i = 0; i < grid; ++i) {
        for (std::size_t j = 0; j < grid; ++j)
            if (static_cast<double>(mix64(mix64(seed + i) + j) >> 11) * 0x1p-53 < share)
                columns.push_back(static_cast<index_t>(j));
        a.ptr[i + 1] = static_cast<std::int64_t>(columns.size());
    }
    const auto size = static_cast<std::size_t>(m);
    a.col = Buffer<index_t>(columns.size());
    std::copy(columns.begin(), columns.end(), a.col.begin());
    a.values = Buffer<V>(columns.size() * size * size);
    for (std::size_t k = 0; k < a.values.size(); ++k) a.values[k] = static_cast<V>(mix64(k) % 100);
    a.pattern = Buffer<std::uint32_t>(columns.size() * size, (2u << (m - 1)) - 1);
    return a;
}

double processor_seconds() {
    std::timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

template <class Math>
void measure(const char* type, index_t n, int m, double share) {
    const auto a = random_blocks<typename Math::Value>(n, m, share, 1);
    const auto b = random_blocks<typename Math::Value>(n, m, share, 2);
    double products = 0;
    for (const index_t k : a.col)
        products += static_cast<double>(b.ptr[static_cast<std::size_t>(k) + 1] -
                                        b.ptr[static_cast<std::size_t>(k)]);
    for (const auto& [name, search] : {std::pair{"row by row", BlockSearch::rowwise},
                                       std::pair{"two pointers", BlockSearch::two_pointers},
                                       std::pair{"binary", BlockSearch::binary}})
        for (const bool dense : {false, true}) {
            double least = 1e300;
            for (int run = 0; run < 2; ++run) {
                const double start = processor_seconds();
                if (dense)
                    multiply_blocks_dense<Math>(a, b, search, resolve_threads(0));
                else
                    multiply_blocks<Math>(a, b, search, false, resolve_threads(0));
                least = std::min(least, processor_seconds() - start);
            }
            std::printf("| %d | %d | %s | %s | %s | %.0f | %.2f |\n", n, m, type, name,
                        dense ? "dense" : "blocks", 1e3 * least,
                        2e-9 * products * m * m * m / least);
            std::fflush(stdout);
        }
}

}  // namespace

int main(int argc, char** argv) {
    const index_t n = argc > 1 ? std::atoi(argv[1]) : 2048;
    const double share = argc > 2 ? std::atof(argv[2]) : 0.5;
    if (n < 8 || !(share > 0) || share > 1) {
        std::fputs("usage: bench_spgemm_blocks [ROWS [SHARE [M]]]; ROWS from 8, SHARE up to 1\n",
                   stderr);
        return 2;
    }
    std::printf(
        "| n | m | type | search | C | ms | GFLOP/s |\n|---:|---:|---|---|---|---:|---:|\n");
    const int only = argc > 3 ? std::atoi(argv[3]) : 0;
    for (const int m : {2, 4, 8, 16, 32}) {
        if (only ? m != only : m != 4 && m != 8) continue;
        measure<PlainMath<float>>("f32", n, m, share);
        measure<PlainMath<double>>("f64", n, m, share);
        measure<SaturatingMath>("saturating u32", n, m, share);
    }
}
