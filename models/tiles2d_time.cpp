#include "models/tiles2d_time.hpp"

#include <algorithm>

namespace sptune::models {
namespace {

constexpr double kMillion = 1e6;

/// Of an H200, with as many multiprocessors as say `kOf`.
constexpr double kOf = 132;
struct Rates {
    double call;                   ///< scaling y and starting
    double bytes, fetched, slots;  ///< a million of each
};
/// f32, then f64; blocks of 512 threads, then of 1024.
constexpr Rates kRates[2][2] = {{{9.3, 0.241, 0.493, 1.02}, {9.2, 0.252, 0.369, 0.86}},
                                {{7.9, 0.238, 0.887, 2.81}, {11.6, 0.225, 0.966, 1.71}}};
/// Times of R-MAT and power-law graphs were 1.5 to 3 times as long as without it.
constexpr double kSkew = 1.3;

}  // namespace

double tiles2d_us(const Tiles2dWork& w) {
    const Rates& r = kRates[w.value_bytes == 8][w.threads > 512];
    const double fewer = kOf / w.multiprocessors;
    // Entries come from memory, of which other GPUs have less for each multiprocessor.
    const double bytes = std::max(r.bytes * fewer, 1e3 / w.bandwidth_gbs);
    const double shared = bytes * w.bytes + fewer * (r.fetched * w.fetched + r.slots * w.slots);
    return (r.call + shared / kMillion) * (1 + kSkew * w.gini * w.gini);
}

double tiles2d_convert_us(const Tiles2dWork& w) {
    return 1000 + 210 * w.entries / kMillion * kOf / w.multiprocessors;
}

}  // namespace sptune::models
