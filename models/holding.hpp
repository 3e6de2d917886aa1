// What a layout would hold, told from the features alone: no pass over the matrix, so that a whole
// grid can be ranked before the few best are looked at closely.
#pragma once

#include "features/features.hpp"
#include "kernels/variant.hpp"

#include <cstdint>
#include <optional>

namespace sptune::models {

/// Of A alone. Kernels know better (SpmvKernel::inspect), at the price of a pass.
struct Holding {
    double stored = 0;    ///< entries, padding included
    double bytes = 0;     ///< that one call reads
    double gathered = 0;  ///< of HDIA: stored entries that no diagonal holds
    /// False where the layout cannot be used or where the features cannot promise that it can:
    /// 16-bit columns for example need narrow rows.
    bool fits = true;
};
Holding holding(const Features& features, const Variant& variant);

/// What a variant's bytes depend on, told from its words once: for those who ask about dozens of
/// layouts at each choice.
struct Layout {
    enum class Kind { csr, coo, csc, sell, ell, hyb, bsr, dia, hdia };
    Kind kind = Kind::csr;
    bool narrow = false;  ///< 16-bit columns
    bool tiles = false;   ///< whose columns count from the tile's first one
    int c = 1;            ///< rows of a slice, columns of a block
    int sigma = 1;        ///< rows that are sorted together; kAll: all
    int r = 1;            ///< rows of a block
    bool beside = false;  ///< very long rows lie beside slices
    int percent = kAll;   ///< of rows in HYB's ELL part, of a diagonal that DIA keeps; kAll: all
    double value = 8;     ///< bytes
    double pointer = 4;   ///< bytes
    bool operator==(const Layout&) const = default;
};
Layout layout_of(const Variant& variant);
Holding holding(const Features& features, const Layout& layout);
/// Its bytes. A file may name layouts, and features, of which nothing sensible comes: those have
/// 1e18.
double held_bytes(const Features& features, const Layout& layout);
double held_bytes(const Features& features, const Variant& variant);

/// What slices pad in kernels for a CPU, which store very long rows beside them; of matrices that
/// were swept before they did, what they padded then.
const std::vector<SellPadding>& paddings_beside(const Features& features);

/// Whether a look at the matrix could not turn up a reason against converting it: nothing but its
/// size speaks against the layout, and that is far below the cap (one with diagonals may turn out
/// to have none, and is as right as SELL then). Never for layouts whose legality costs little to
/// find out. `seen_bytes`: what a look at some rows tells of its size, where the features do not.
bool surely_fits(const Features& features, const Variant& variant,
                 std::optional<double> seen_bytes = std::nullopt);

/// y, and of x as many entries as may be read: no more than there are nonzeros.
double vector_bytes(const Features& features, double value_bytes);

/// A as held and vector_bytes().
std::uint64_t estimated_bytes(const Features& features, const Variant& variant);
std::uint64_t estimated_bytes(const Features& features, const Layout& layout);

/// The value of parameter `name`, or `fallback` where the variant has none of that name.
int param_or(const Params& params, std::string_view name, int fallback);

}  // namespace sptune::models
