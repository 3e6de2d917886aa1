#include "models/one_value.hpp"

#include "kernels/spmv/one_value.hpp"

#include <algorithm>
#include <cmath>

namespace sptune::models {

double one_value_share(const Variant& v, const Features& f) {
    if (!leaves_out_one_value(v, f.rows, f.nnz)) return 1;
    // Calls of small ones wait for other things than for A.
    constexpr double kSmall = 16e3, kLarge = 160e3;
    const double size = std::log(static_cast<double>(f.nnz) / kSmall) / std::log(kLarge / kSmall);
    const double least = v.value == ValueType::f64 ? 0.78 : 0.89;
    return 1 - std::clamp(size, 0.0, 1.0) * (1 - least);
}

}  // namespace sptune::models
