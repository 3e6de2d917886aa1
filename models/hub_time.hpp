// What multiplying with hub columns takes. The trained models do not know: no feature tells how
// many entries the columns with the most entries hold, which takes a pass over all of them.
#pragma once

#include <cstdint>

namespace sptune::models {

/// What is known of hub.bands and a matrix.
struct HubWork {
    double hot, cold;    ///< entries of hub columns and of all others
    double sums;         ///< parts of rows in bands
    int bands, columns;  ///< of each band
    int value_bytes;
    int multiprocessors;
};

/// µs of one call. Fitted to 201 times on an H200, of 15 graphs and other scattered matrices
/// with 2.4 to 17.6 million entries, whose errors are 5 % in the median and 12 % for one in ten
/// (bench/results/2026-11-28-hub.md).
double hub_us(const HubWork& work);

/// µs of the conversion, of the same sweeps.
double hub_convert_us(const HubWork& work);

}  // namespace sptune::models
