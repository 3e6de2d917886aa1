#include "models/small_tiles.hpp"

#include "models/shortlist.hpp"

namespace sptune::models {
namespace {

/// Rows and entries together, for each multiprocessor: 400 thousand for an H100 or H200.
constexpr double kMost = 3030;

/// µs, of those.
constexpr double kCall = 3.85;
constexpr double kEntries[]{1.99, 2.94};  ///< a million, f32 and f64

}  // namespace

bool small_for_tiles(const Outline& outline) {
    const auto size = static_cast<double>(outline.rows) + static_cast<double>(outline.nnz);
    return size <= kMost * outline.multiprocessors();
}

bool tiles_suffice(const Variant& kernel, const Outline& outline) {
    return kernel.format == "csr" && kernel.algorithm == "tiles" && small_for_tiles(outline);
}

bool tiles_pay(double tiles_us, double convert_us, double plain_us, double calls) {
    return tiles_us <= kWorthwhile * plain_us &&
           (calls <= 0 || convert_us <= calls * (plain_us - tiles_us));
}

double small_tiles_us(ValueType value, const Outline& outline) {
    return kCall + kEntries[value == ValueType::f64] * static_cast<double>(outline.nnz) / 1e6 *
                       Outline::kUsualMultiprocessors / outline.multiprocessors();
}

}  // namespace sptune::models
