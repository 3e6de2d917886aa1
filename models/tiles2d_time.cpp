#include "models/tiles2d_time.hpp"

namespace sptune::models {
namespace {

constexpr double kMillion = 1e6;

/// Of an H200, with as many multiprocessors as say `kOf`.
constexpr double kOf = 132;
struct Rates {
    double call;     ///< scaling y and starting
    double bytes;    ///< a million
    double fetched;  ///< a million
    double slots;    ///< a million
};
constexpr Rates kRates[2][2] = {{{9, 0.25, 0.4, 1}, {3, 0.25, 0.4, 1}},
                                {{7, 0.25, 0.6, 1}, {9, 0.25, 0.9, 1}}};
/// Of rows as skewed as they can be.
constexpr double kSkew = 1.2;

}  // namespace

double tiles2d_us(const Tiles2dWork& w) {
    const Rates& r = kRates[w.value_bytes == 8][w.threads > 512];
    const double shared =
        (r.bytes * w.bytes + r.fetched * w.fetched + r.slots * w.slots) / kMillion;
    return (r.call + shared * kOf / w.multiprocessors) * (1 + kSkew * w.gini * w.gini);
}

double tiles2d_convert_us(const Tiles2dWork& w) {
    return 1000 + 210 * w.entries / kMillion * kOf / w.multiprocessors;
}

}  // namespace sptune::models
