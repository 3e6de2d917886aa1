// Made-up sweeps of C = A·B.
#pragma once

#include "tests/models/entries.hpp"

namespace sptune::models {

inline ProductFeatures made_product(std::int64_t rows, std::uint64_t per_row, double compression) {
    ProductFeatures p;
    p.rows = p.inner = p.cols = rows;
    p.a_entries = p.b_entries = static_cast<std::uint64_t>(rows) * 5;
    p.products = static_cast<std::uint64_t>(rows) * per_row;
    p.longest_row = 2 * per_row, p.upper_entries = p.products;
    p.products_per_row = static_cast<double>(per_row), p.products_cv = 0.5;
    p.compression = compression;
    p.estimated_entries = static_cast<double>(p.products) / compression;
    return p;
}

/// Where products meet often bitmaps are fastest, else plain Gustavson.
inline Sample made_product_sample(const std::string& family, int number, std::int64_t rows,
                                  std::uint64_t per_row, double compression) {
    Sample s;
    s.name = family + "--" + std::to_string(number), s.group = group_of(s.name);
    s.features = even_rows(rows, 5), s.device = cpu();
    s.product = made_product(rows, per_row, compression);
    const double plain = 1 + static_cast<double>(s.product->products) / 500;
    s.timed = {{variant(Backend::cpu, "csr", "gustavson", {{"p", 2}, {"d", 1}}), plain},
               {variant(Backend::cpu, "csr", "bitmap", {{"p", 1}, {"d", 1}}),
                compression > 3 ? 0.4 * plain : 1.6 * plain},
               {variant(Backend::cpu, "csr", "esc", {{"p", 1}, {"d", 1}}), 2 * plain}};
    for (Timed& t : s.timed) t.variant.op = Op::spgemm;
    s.kernel_hashes = {{"spgemm/csr", "4"}};
    return s;
}

inline std::vector<Sample> made_product_samples() {
    std::vector<Sample> samples;
    for (int family = 0; family < 8; ++family)
        for (int i = 0; i < 12; ++i)
            samples.push_back(made_product_sample(
                "pair" + std::string(1, static_cast<char>('a' + family)), i, 300 << (i % 7),
                static_cast<std::uint64_t>(10 + 3 * i), family % 2 == 0 ? 6 + i : 1 + 0.1 * i));
    return samples;
}

}  // namespace sptune::models
