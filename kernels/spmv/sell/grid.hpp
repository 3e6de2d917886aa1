// The swept parameters of the SELL-C-σ kernels.
#pragma once

#include "kernels/axes.hpp"

namespace sptune::sell {

using Grid =
    grid<axis<chunk_rows, 2, 4, 8, 10, 16, 32, 64, 100, 128, 256>, axis<index_bits, 32, 16>>;

/// Whether kernels for C rows on a CPU do without values that are all the same. Not all C, since
/// each is compiled once more for that.
constexpr bool knows_one_value(int c) {
    return c == 8 || c == 16 || c == 32 || c == 64;
}

/// The σ swept for a slice height: 1 and multiples of C (the published 2-4, 10-20, 100-200 are
/// 2C), 4096 where C divides it, and kAll.
template <class Visit>
void for_each_sigma(int c, Visit visit) {
    visit(1);
    visit(2 * c);
    if (4096 % c == 0) {
        visit(16 * c);
        if (16 * c != 4096) visit(4096);
    }
    visit(kAll);
}

}  // namespace sptune::sell
