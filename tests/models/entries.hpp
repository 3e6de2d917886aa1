// Small made-up matrices and machines for the tests of models.
#pragma once

#include "db/entry.hpp"
#include "models/samples.hpp"

#include <cmath>

namespace sptune::models {

inline db::Device cpu(int threads = 2) {
    db::Device d;
    d.backend = "cpu", d.name = "Test CPU", d.key = "test-cpu", d.threads = threads;
    d.llc_bytes = 32 << 20, d.bandwidth_gbs = 20;
    d.bandwidth_curve = {{16 << 10, 200}, {1 << 20, 80}, {32 << 20, 40}, {128 << 20, 20}};
    return d;
}

inline db::Device gpu() {
    db::Device d;
    d.backend = "cuda", d.name = "Test GPU", d.key = "test-gpu", d.threads = 132;
    d.llc_bytes = 60 << 20, d.bandwidth_gbs = 4000, d.launch_us = 1.5, d.copy_gbs = 4200;
    d.bandwidth_curve = {{1 << 20, 5000}, {60 << 20, 5000}, {1u << 30, 4000}};
    return d;
}

/// A square matrix of `rows` rows of `length` entries each, spread over the whole row.
inline Features even_rows(std::int64_t rows, std::int64_t length) {
    Features f;
    f.rows = f.cols = rows, f.nnz = rows * length;
    f.density = static_cast<double>(length) / static_cast<double>(rows);
    f.row_min = f.row_max = length;
    f.row_mean = f.row_median = static_cast<double>(length);
    f.warp_imbalance = 1, f.ell_fill = 1;
    f.diagonals = 2 * rows - 1, f.dia_fill = f.density / 2;
    f.bandwidth_max = rows - 1, f.bandwidth_mean = static_cast<double>(rows) / 3;
    f.column_gap = static_cast<double>(rows) / static_cast<double>(length);
    f.cols_per_line = 1, f.reuse_distance = static_cast<double>(rows) / 3;
    for (const SellProbe& p : sell_probes()) f.sell.push_back({p.c, p.sigma, 0});
    for (const BsrProbe& p : bsr_probes()) f.bsr.push_back({p.r, p.c, 1.0 / (p.r * p.c)});
    return f;
}

/// The same, all entries on `length` dense diagonals beside the main one.
inline Features band(std::int64_t rows, std::int64_t length) {
    Features f = even_rows(rows, length);
    f.diagonals = f.dense_diagonals = length, f.dia_fill = 1, f.dense_diagonal_share = 1;
    f.bandwidth_max = length / 2, f.bandwidth_mean = static_cast<double>(length) / 4;
    f.column_gap = 1, f.cols_per_line = 6, f.reuse_distance = 1, f.diagonal_runs = 1;
    return f;
}

inline Variant variant(Backend backend, std::string format, std::string algorithm, Params params,
                       ValueType value = ValueType::f64) {
    Variant v;
    v.backend = backend, v.format = std::move(format), v.algorithm = std::move(algorithm);
    v.params = std::move(params), v.value = value;
    return v;
}

/// A sweep of four kernels on a matrix of `family`. Bands are fastest as DIA, small even matrices
/// in CSR, large ones in SELL.
inline Sample made_sample(const std::string& family, int number, bool banded, std::int64_t rows,
                          std::int64_t length) {
    Sample s;
    s.name = family + "--" + std::to_string(number), s.group = group_of(s.name);
    s.features = banded ? band(rows, length) : even_rows(rows, length);
    s.device = cpu();
    const double csr = 1 + static_cast<double>(s.features.nnz) / 1000;
    const double sell = rows < 3000 ? 1.5 * csr : 0.6 * csr;
    s.timed = {
        {variant(Backend::cpu, "csr", "static", {{"x", 32}, {"l", 1}, {"u", 1}, {"w", kAll}}), csr},
        {variant(Backend::cpu, "sell", "simd", {{"c", 8}, {"s", 1}, {"x", 32}, {"w", kAll}}), sell,
         5 * csr},
        {variant(Backend::cpu, "sell", "simd", {{"c", 4}, {"s", 1}, {"x", 32}, {"w", kAll}}),
         1.001 * sell, 5 * csr},
        {variant(Backend::cpu, "dia", "rows", {{"f", kAll}, {"u", 4}, {"w", kAll}}),
         banded ? 0.3 * csr : 8 * csr, 10 * csr, !banded}};
    s.kernel_hashes = {{"csr", "1"}, {"sell", "2"}, {"dia", "3"}};
    return s;
}

/// Ten families of twelve matrices, every other one banded.
inline std::vector<Sample> made_samples() {
    std::vector<Sample> samples;
    for (int family = 0; family < 10; ++family)
        for (int i = 0; i < 12; ++i)
            samples.push_back(
                made_sample("family" + std::string(1, static_cast<char>('a' + family)), i,
                            family % 2 == 0, 500 << (i % 8), 3 + i + family));
    return samples;
}

inline std::vector<const Sample*> pointers(const std::vector<Sample>& samples) {
    std::vector<const Sample*> list;
    for (const Sample& s : samples) list.push_back(&s);
    return list;
}

}  // namespace sptune::models
