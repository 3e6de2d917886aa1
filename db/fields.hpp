// Every field of an entry, named once. Encoding, decoding and the columns of the csv export all
// walk these lists, so that they cannot drift apart.
#pragma once

#include "db/entry.hpp"

#include <cmath>
#include <concepts>
#include <limits>
#include <string_view>
#include <type_traits>

namespace sptune::db {

/// T or const T: one list of fields serves reading and writing.
template <class T, class Record>
concept maybe_const = std::same_as<std::remove_const_t<T>, Record>;

/// A 64-bit hash, written as 16 hex digits: JSON readers that keep numbers as doubles round others.
template <class U>
struct Hash {
    U& value;
};
template <class U>
Hash(U&) -> Hash<U>;

/// Written as null where there is nothing to say: an empty string, a negative or non-finite
/// number. Null is read back as `absent`.
template <class U>
struct Nullable {
    U& value;
    std::remove_const_t<U> absent;
};
template <class U, class A>
Nullable(U&, A) -> Nullable<U>;

template <class U>
bool is_null(const Nullable<U>& field) {
    if constexpr (std::floating_point<std::remove_const_t<U>>)
        return !std::isfinite(field.value) || field.value < 0;
    else
        return field.value.empty();
}

/// What cannot be negative: a number, or each of a list. Without it only what is counted is
/// checked: a feature that is 0 may come out of its sums as a little less.
template <class U>
struct Amount {
    U& value;
};
template <class U>
Amount(U&) -> Amount<U>;

/// Left out where there is nothing; older documents do not have it.
template <class U>
struct Optional {
    U& value;
};
template <class U>
Optional(U&) -> Optional<U>;

template <class Field>
constexpr bool is_optional = false;
template <class U>
constexpr bool is_optional<Optional<U>> = true;

void visit_fields(maybe_const<SellPadding> auto& p, auto&& field) {
    field("c", p.c);
    field("sigma", p.sigma);
    field("padding", p.padding);
}

void visit_fields(maybe_const<BesideSlices> auto& b, auto&& field) {
    field("share", b.share);
    field("sell", b.sell);
}

void visit_fields(maybe_const<BsrFill> auto& b, auto&& field) {
    field("r", b.r);
    field("c", b.c);
    field("fill", b.fill);
}

void visit_fields(maybe_const<Features> auto& f, auto&& field) {
    field("rows", f.rows);
    field("cols", f.cols);
    field("nnz", f.nnz);
    field("density", f.density);
    field("row_min", f.row_min);
    field("row_max", f.row_max);
    field("row_mean", f.row_mean);
    field("row_median", f.row_median);
    field("row_std", f.row_std);
    field("row_cv", f.row_cv);
    field("row_skew", f.row_skew);
    field("row_gini", f.row_gini);
    field("empty_rows", f.empty_rows);
    field("row_neighbour_diff", f.row_neighbour_diff);
    field("warp_imbalance", f.warp_imbalance);
    field("diagonals", f.diagonals);
    field("dia_fill", f.dia_fill);
    field("dense_diagonals", f.dense_diagonals);
    field("dense_diagonal_share", f.dense_diagonal_share);
    field("top_diagonal_share", f.top_diagonal_share);
    field("diagonal_runs", Optional{f.diagonal_runs});
    field("bandwidth_max", f.bandwidth_max);
    field("bandwidth_mean", f.bandwidth_mean);
    field("profile", f.profile);
    field("pattern_symmetry", f.pattern_symmetry);
    field("value_symmetry", f.value_symmetry);
    field("ell_fill", f.ell_fill);
    field("sell", f.sell);
    field("long_rows", Optional{f.long_rows});
    field("bsr", f.bsr);
    field("hyb_remainder", f.hyb_remainder);
    field("cols_per_line", f.cols_per_line);
    field("column_gap", f.column_gap);
    field("reuse_distance", f.reuse_distance);
    field("constant_values", f.constant_values);
    field("fingerprint", Hash{f.fingerprint});
    field("sampled_share", f.sampled_share);
}

void visit_fields(maybe_const<ProductFeatures> auto& p, auto&& field) {
    field("rows", p.rows);
    field("inner", p.inner);
    field("cols", p.cols);
    field("a_entries", p.a_entries);
    field("b_entries", p.b_entries);
    field("products", p.products);
    field("longest_row", p.longest_row);
    field("upper_entries", p.upper_entries);
    field("products_per_row", p.products_per_row);
    field("products_cv", p.products_cv);
    field("estimated_entries", p.estimated_entries);
    field("compression", p.compression);
    field("sampled_share", p.sampled_share);
    field("fingerprint", Hash{p.fingerprint});
}

void visit_fields(maybe_const<TimeUs> auto& t, auto&& field) {
    field("median", Amount{t.median});
    field("mad", Amount{t.mad});
    field("min", Amount{t.min});
    field("samples", Amount{t.samples});
}

void visit_fields(maybe_const<Candidate> auto& c, auto&& field) {
    field("id", c.id);
    field("op", c.op);
    field("backend", c.backend);
    field("format", c.format);
    field("algorithm", c.algorithm);
    field("params", c.params);
    field("status", c.status);
    field("reason", c.reason);
    field("time_us", c.time);
    field("device_us", Optional{c.device_us});
    field("launches", Optional{c.launches});
    field("bytes", c.bytes);
    field("stored", c.stored);
    field("gflops", Amount{c.gflops});
    field("gbs", Amount{c.gbs});
    field("convert_us", Amount{c.convert_us});
    field("error", Nullable{c.error, std::numeric_limits<double>::infinity()});
    field("kernel_hash", c.kernel_hash);
    field("vendor", c.vendor);
    field("deterministic", c.deterministic);
}

void visit_fields(maybe_const<BandwidthPoint> auto& p, auto&& field) {
    field("bytes", p.bytes);
    field("gbs", Amount{p.gbs});
}

void visit_fields(maybe_const<Device> auto& d, auto&& field) {
    field("backend", d.backend);
    field("name", d.name);
    field("key", d.key);
    field("simd", d.simd);
    field("threads", d.threads);
    field("llc_bytes", d.llc_bytes);
    field("bandwidth_gbs", Amount{d.bandwidth_gbs});
    field("bandwidth_curve", d.bandwidth_curve);
    field("copy_gbs", Amount{d.copy_gbs});
    field("launch_us", Amount{d.launch_us});
    field("host_launch_us", Optional{d.host_launch_us});
    field("early_gap_us", Optional{d.early_gap_us});
    field("launch_gap_us", Optional{d.launch_gap_us});
    field("memory_bytes", d.memory_bytes);
    field("driver", Optional{d.driver});
    field("toolkit", Optional{d.toolkit});
}

/// Without `path`, which is never stored.
void visit_fields(maybe_const<MatrixInfo> auto& m, auto&& field) {
    field("name", m.name);
    field("rows", m.rows);
    field("cols", m.cols);
    field("nnz", m.nnz);
    field("fingerprint", Hash{m.fingerprint});
}

void visit_fields(maybe_const<Provenance> auto& p, auto&& field) {
    field("sptune_version", p.sptune_version);
    field("compiler", p.compiler);
    field("vendor_library", p.vendor_library);
    field("created_utc", p.created_utc);
    field("seed", p.seed);
    field("budget_s", Amount{p.budget_s});
    field("sweep_s", Amount{p.sweep_s});
    field("variants", Optional{p.variants});
    field("cores_busy", Optional{p.cores_busy});
    field("one_value", Optional{p.one_value});
}

void visit_fields(maybe_const<Entry> auto& e, auto&& field) {
    field("matrix", e.matrix);
    field("features", e.features);
    field("product", Optional{e.product});
    field("device", e.device);
    field("op", e.op);
    field("precision", e.value);
    field("index", e.index);
    field("cache", e.cache);
    field("baseline", Nullable{e.baseline, ""});
    field("candidates", e.candidates);
    field("winner", Nullable{e.winner, ""});
    field("speedup_vs_baseline", Amount{e.speedup_vs_baseline});
    field("break_even_calls", Nullable{e.break_even_calls, -1.0});
    field("complete", e.complete);
    field("provenance", e.provenance);
}

template <class T>
concept record = requires(T& t) {
    visit_fields(t, [](std::string_view, auto&&) {});
};

}  // namespace sptune::db
