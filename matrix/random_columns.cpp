#include "matrix/random_columns.hpp"

#include <algorithm>
#include <bit>

namespace sptune {

std::int64_t poisson(Stream& stream, double mean) {
    std::int64_t count = 0;
    for (; mean > 0; mean -= 500) {
        const double limit = portable_exp(-std::min(mean, 500.0));
        for (double product = stream.uniform(); product > limit; product *= stream.uniform())
            ++count;
    }
    return count;
}

std::int64_t far_above(double mean) {
    return static_cast<std::int64_t>(mean + 10 * std::sqrt(mean) + 100);
}

void append_range(std::int64_t first, std::int64_t last, std::vector<index_t>& out) {
    for (std::int64_t c = first; c < last; ++c) out.push_back(static_cast<index_t>(c));
}

void append_bernoulli(Stream& stream, std::int64_t first, std::int64_t last, double p,
                      std::vector<index_t>& out) {
    if (p <= 0) return;
    const double scale = p < 1 ? 1 / portable_log1p(-p) : 0;
    for (std::int64_t c = first; c < last; ++c) {
        if (p < 1) {
            const double jump = portable_log(stream.uniform()) * scale;
            if (jump >= static_cast<double>(last - c)) return;
            c += static_cast<std::int64_t>(jump);
        }
        out.push_back(static_cast<index_t>(c));
    }
}

void sort_unique(std::vector<index_t>& list, index_t cols) {
    if (list.size() < static_cast<std::size_t>(cols) / 64) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
        return;
    }
    thread_local std::vector<std::uint64_t> bits;
    bits.assign(static_cast<std::size_t>(cols) / 64 + 1, 0);
    for (const index_t c : list)
        bits[static_cast<std::size_t>(c) / 64] |= std::uint64_t{1} << c % 64;
    list.clear();
    for (std::size_t w = 0; w < bits.size(); ++w)
        for (std::uint64_t word = bits[w]; word; word &= word - 1)
            list.push_back(static_cast<index_t>(w * 64) + std::countr_zero(word));
}

}  // namespace sptune
