#include "features/diagonals.hpp"

#include "matrix/error.hpp"

#include <bit>
#include <cstdlib>
#include <memory>

namespace sptune {
namespace {

/// Memory that the system zeroes only where it is touched: diagonals are many, samples are few.
std::unique_ptr<std::uint32_t[], decltype(&std::free)> lazy_zeros(std::size_t size) {
    auto* p = static_cast<std::uint32_t*>(std::calloc(size, sizeof(std::uint32_t)));
    if (!p) throw OutOfMemory("the count of diagonals", size * sizeof(std::uint32_t));
    return {p, &std::free};
}

}  // namespace

void describe_diagonals(const WholePass& pass, Features& f) {
    std::size_t lowest = pass.occupied.size(), highest = 0;  // words
    for (std::size_t w = 0; w < pass.occupied.size(); ++w) {
        if (!pass.occupied[w]) continue;
        f.diagonals += std::popcount(pass.occupied[w]);
        lowest = std::min(lowest, w);
        highest = w;
    }
    if (f.diagonals == 0) return;
    const auto offset = [&](std::size_t word, int bit) {
        return static_cast<std::int64_t>(word) * 64 + bit - (f.rows - 1);
    };
    f.bandwidth_max =
        std::max(std::abs(offset(lowest, std::countr_zero(pass.occupied[lowest]))),
                 std::abs(offset(highest, 63 - std::countl_zero(pass.occupied[highest]))));
    const auto nnz = static_cast<double>(f.nnz);
    f.bandwidth_mean = static_cast<double>(pass.distance) / nnz;
    f.profile = pass.profile;
    f.dia_fill = nnz / (static_cast<double>(f.diagonals) * static_cast<double>(f.rows));
}

template <class P>
void sample_diagonals(const P* row_ptr, const index_t* col_idx, const RowSample& sample,
                      Features& f) {
    // Of a row as long as that, entries at equal strides stand for the rest.
    const std::int64_t row_limit = sample.everything() ? f.nnz : 4096;
    const auto count = lazy_zeros(static_cast<std::size_t>(f.rows + f.cols));
    std::vector<std::int64_t> touched;
    for (const RowWindow& w : sample.windows())
        for (std::int64_t i = w.first; i < w.last; ++i) {
            const std::int64_t stride = 1 + (row_ptr[i + 1] - row_ptr[i]) / (row_limit + 1);
            for (std::int64_t k = row_ptr[i]; k < row_ptr[i + 1]; k += stride) {
                const std::int64_t d = col_idx[k] - i + f.rows - 1;
                if (count[static_cast<std::size_t>(d)] == 0) touched.push_back(d);
                count[static_cast<std::size_t>(d)] += static_cast<std::uint32_t>(stride);
            }
        }
    if (touched.empty()) return;

    double total = 0, dense = 0;
    std::vector<std::uint32_t> counts;
    counts.reserve(touched.size());
    for (const std::int64_t at : touched) {
        const std::uint32_t n = count[static_cast<std::size_t>(at)];
        const std::int64_t d = at - (f.rows - 1);
        const std::int64_t first = std::max<std::int64_t>(0, -d);
        const std::int64_t crossed = sample.rows_in(first, std::min(f.rows, f.cols - d));
        if (n >= 0.6 * static_cast<double>(crossed)) {
            ++f.dense_diagonals;
            dense += n;
        }
        total += n;
        counts.push_back(n);
    }
    f.dense_diagonal_share = dense / total;
    const std::size_t kept = std::min<std::size_t>(64, counts.size());
    std::partial_sort(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(kept),
                      counts.end(), std::greater<>());
    double top = 0;
    for (std::size_t k = 0, rank = 0; rank < f.top_diagonal_share.size(); ++rank) {
        for (; k < std::min(kept, std::size_t{1} << 2 * rank); ++k) top += counts[k];
        f.top_diagonal_share[rank] = top / total;
    }
}

template void sample_diagonals(const std::int32_t*, const index_t*, const RowSample&, Features&);
template void sample_diagonals(const std::int64_t*, const index_t*, const RowSample&, Features&);

}  // namespace sptune
