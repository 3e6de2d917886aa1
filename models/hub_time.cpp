#include "models/hub_time.hpp"

namespace sptune::models {
namespace {

constexpr double kMillion = 1e6;

/// Of an H200, with as many multiprocessors as say `kOf`.
constexpr double kOf = 132;
struct Rates {
    double call;          ///< scaling y and starting
    double sums;          ///< a million of them
    double hot, cold;     ///< a million entries
    double columns;       ///< ten thousand that every multiprocessor fetches
    double another_band;  ///< each after the first: some fetch twice
};
constexpr Rates kSingle{6.4, 7.7, 1.6, 8.0, 2.6, 0.6}, kDouble{5.3, 6.3, 2.1, 10.1, 5.9, 0.8};

}  // namespace

double hub_us(const HubWork& w) {
    const Rates& r = w.value_bytes == 4 ? kSingle : kDouble;
    const double shared = (r.sums * w.sums + r.hot * w.hot + r.cold * w.cold) / kMillion;
    return r.call + shared * kOf / w.multiprocessors + r.columns * w.columns / 1e4 +
           (w.bands - 1) * r.another_band;
}

double hub_look_us(std::int64_t nnz, std::int64_t cols) {
    return 150 + 10 * static_cast<double>(nnz + cols) / kMillion;
}

double hub_convert_us(const HubWork& w) {
    return 450 + 60 * (w.hot + w.cold) / kMillion * kOf / w.multiprocessors;
}

}  // namespace sptune::models
