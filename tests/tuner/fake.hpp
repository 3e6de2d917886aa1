// A clock that only moves when told to, and kernels that move it: sweeps become exact and do not
// depend on the load of the machine.
#pragma once

#include "kernels/spmv/kernel.hpp"
#include "matrix/error.hpp"
#include "tuner/sweep.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace sptune::tuner::fake {

inline double now_us = 0;
inline double clock() {
    return now_us;
}

inline int conversions = 0;  ///< since the test set it to 0
inline int calls = 0;
inline int late_calls = 0;                            ///< of kernels of kind late
inline std::uint64_t live_bytes = 0, most_bytes = 0;  ///< of all storages, now and at the most
inline double busy_from = 0, busy_to = 0;  ///< meanwhile everything takes 50 times as long
inline int busy_kind = -1;                 ///< or only kernels of this kind

enum Kind {
    right,
    wrong_row,     ///< row 1 is off by 1 %
    writes_nan,    ///< in the last row
    leaves_rows,   ///< the last row is not written
    ignores_beta,  ///< y = αAx
    too_large,     ///< convert throws OutOfMemory
    illegal,       ///< inspect says so
    throws,        ///< convert throws something else
    slow_start,    ///< the first two calls take 40 us more
    held_up,       ///< the six calls after them take 20 times as long
    late,          ///< the first four calls take 100 times as long
    seldom_right,  ///< two of three calls take 11 times as long
    crew,          ///< right
    waited,        ///< the first two calls take 5000 us more
    third_alone,   ///< takes a third on one thread (w)
};

struct FakeStorage final : Storage {
    CsrView<double> a;
    int kind = right;
    double cost_us = 0;
    std::uint64_t size = 0;
    bool in_place = false;
    mutable int calls = 0;
    ~FakeStorage() override { live_bytes -= size; }
    std::uint64_t bytes() const override { return size; }
    std::uint64_t held_bytes() const override { return in_place ? 0 : size; }
    std::uint64_t stored() const override { return static_cast<std::uint64_t>(a.nnz()); }
};

inline void apply(const Storage& storage, double alpha, const double* x, double beta, double* y,
                  Launch) {
    const auto& s = static_cast<const FakeStorage&>(storage);
    const index_t rows = s.kind == leaves_rows ? s.a.rows - 1 : s.a.rows;
    for (index_t i = 0; i < rows; ++i) {
        double sum = 0;
        for (int k = s.a.row_ptr[i]; k < s.a.row_ptr[i + 1]; ++k)
            sum += s.a.values[k] * x[s.a.col_idx[k]];
        if (s.kind == wrong_row && i == 1) sum *= 1.01;
        y[i] = beta == 0 || s.kind == ignores_beta ? alpha * sum : alpha * sum + beta * y[i];
    }
    if (s.kind == writes_nan) y[rows - 1] = 0.0 / 0.0 * y[rows - 1];
    const int call = s.calls++;
    const bool held = s.kind == held_up && call >= 2 && call < 8;
    const bool late_now = s.kind == late && late_calls++ < 4;
    const bool busy =
        now_us >= busy_from && now_us < busy_to && (busy_kind < 0 || busy_kind == s.kind);
    now_us += s.cost_us *
                  (held                                      ? 20
                   : late_now                                ? 100
                   : s.kind == seldom_right && call % 3 != 0 ? 11
                                                             : 1) *
                  (busy ? 50 : 1) +
              (s.kind == slow_start && call < 2 ? 40 : 0) +
              (s.kind == waited && call < 2 ? 5000 : 0);
    ++calls;
}

/// Parameters: k kind, t microseconds per call, b bytes (stored, and moved by one call), v
/// microseconds to convert.
inline SpmvKernel<double, std::int32_t> kernel(int kind, int cost_us, int bytes = 1000,
                                               int convert_us = 50) {
    SpmvKernel<double, std::int32_t> k;
    k.variant.format = "fake";
    k.variant.algorithm = std::string("a");
    k.variant.params = {{"k", kind}, {"t", cost_us}, {"b", bytes}, {"v", convert_us}};
    k.variant.layout = to_string(k.variant.params);
    k.variant.kernel_hash = "h1";
    k.inspect = [](CsrView<double>, const Features&, const Params& p) {
        Footprint f;
        f.storage_bytes = f.moved_bytes = static_cast<std::uint64_t>(get(p, "b"));
        if (get(p, "k") == illegal) f.illegal = "it is against the law";
        return f;
    };
    k.convert = [](CsrView<double> a, const Params& p, int) -> std::unique_ptr<Storage> {
        now_us += get(p, "v");
        ++conversions;
        if (get(p, "k") == too_large) throw OutOfMemory("a fake", 1);
        if (get(p, "k") == throws) throw std::logic_error("a bug");
        auto s = std::make_unique<FakeStorage>();
        s->a = a;
        s->kind = get(p, "k");
        s->cost_us = get(p, "t");
        if (s->kind == third_alone && get(p, "w") == 1) s->cost_us /= 3;
        s->size = static_cast<std::uint64_t>(get(p, "b"));
        most_bytes = std::max(most_bytes, live_bytes += s->size);
        s->in_place = get(p, "v") == 0;
        return s;
    };
    k.apply = apply;
    return k;
}

/// 4×4, tridiagonal.
inline Csr<double> matrix() {
    Csr<double> a{4, 4, Buffer<int>(5), Buffer<index_t>(10), Buffer<double>(10)};
    int k = 0;
    for (index_t i = 0; i < 4; ++i) {
        a.row_ptr[static_cast<std::size_t>(i)] = k;
        for (index_t j = i > 0 ? i - 1 : 0; j <= i + 1 && j < 4; ++j, ++k) {
            a.col_idx[static_cast<std::size_t>(k)] = j;
            a.values[static_cast<std::size_t>(k)] = i == j ? 4 : -1 - 0.25 * j;
        }
    }
    a.row_ptr[4] = k;
    return a;
}

}  // namespace sptune::tuner::fake
