// What SELL-C-σ would store where very long rows lie beside its slices.
#pragma once

#include "features/long_rows.hpp"
#include "features/sell_padding.hpp"

namespace sptune {

/// Stored entries: all in slices, or the slices `without` the longest rows and the `entries` of
/// those, if LongRowRule would have it so.
template <class Count>
Count fewer_beside(Count in_slices, Count without, Count entries) {
    return without + LongRowRule::kBeside * entries < in_slices ? without + entries : in_slices;
}

/// As sell_slots(), whose result for the same rows is `padded`. LongRowRule decides slice by slice;
/// here all rows of the block that may lie beside do or do not.
template <class P>
SellSlots slots_beside(const P* row_ptr, RowWindow block, const SellSlots& padded,
                       const LongRowRule& rule, bool exact);

}  // namespace sptune
