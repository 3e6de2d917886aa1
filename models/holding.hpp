// What a layout would hold, told from the features alone: no pass over the matrix, so that a whole
// grid can be ranked before the few best are looked at closely.
#pragma once

#include "features/features.hpp"
#include "kernels/variant.hpp"

#include <cstdint>

namespace sptune::models {

/// Of A alone. Kernels know better (SpmvKernel::inspect), at the price of a pass.
struct Holding {
    double stored = 0;  ///< entries, padding included
    double bytes = 0;   ///< that one call reads
    /// False where the layout cannot be used or where the features cannot promise that it can:
    /// 16-bit columns for example need narrow rows.
    bool fits = true;
};
Holding holding(const Features& features, const Variant& variant);

/// Whether a look at the matrix could not turn up a reason against converting it: nothing but its
/// size speaks against the layout, and that is far below the cap (one with diagonals may turn out
/// to have none, and is as right as SELL then). Never for layouts whose legality costs little to
/// find out.
bool surely_fits(const Features& features, const Variant& variant);

/// A as held, x and y.
std::uint64_t estimated_bytes(const Features& features, const Variant& variant);

/// The value of parameter `name`, or `fallback` where the variant has none of that name.
int param_or(const Params& params, std::string_view name, int fallback);

}  // namespace sptune::models
