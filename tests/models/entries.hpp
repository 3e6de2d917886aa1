// Small made-up matrices and machines for the tests of models.
#pragma once

#include "db/entry.hpp"
#include "models/predictor.hpp"

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
    f.column_gap = 1, f.cols_per_line = 6, f.reuse_distance = 1;
    return f;
}

inline Variant variant(Backend backend, std::string format, std::string algorithm, Params params,
                       ValueType value = ValueType::f64) {
    Variant v;
    v.backend = backend, v.format = std::move(format), v.algorithm = std::move(algorithm);
    v.params = std::move(params), v.value = value;
    return v;
}

}  // namespace sptune::models
