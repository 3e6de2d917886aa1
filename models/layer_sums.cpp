#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/layer_sums.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.
#include "hwy/highway.h"
#include "matrix/error.hpp"
#include "matrix/lasting.hpp"
#include "models/layer_sums.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace sptune::models {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, kTogether>;
using Integers = hn::RebindToSigned<Floats>;

/// x in steps of its largest over `most`, rounded. Returns the largest: not a finite number where
/// one of x is not, and `out` says nothing then.
float largest_and_rounded(const float* x, std::size_t count, float most,
                          std::int16_t* HWY_RESTRICT out) {
    const Floats d;
    const Integers di;
    auto bits = hn::Zero(di);  // of numbers that are not negative: as large as these
    for (std::size_t i = 0; i < count; i += hn::Lanes(d))
        bits = hn::Max(bits, hn::BitCast(di, hn::Abs(hn::LoadU(d, x + i))));
    const float largest = hn::GetLane(hn::BitCast(d, hn::MaxOfLanes(di, bits)));
    constexpr float kNone = 1e-30f;  // so little may as well be nothing, and has no reciprocal
    const bool any = largest > kNone && largest <= std::numeric_limits<float>::max();
    const auto steps = hn::Set(d, any ? most / largest : 0);
    const hn::Rebind<std::int16_t, Floats> d16;
    for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
        const auto number = any ? hn::Mul(steps, hn::LoadU(d, x + i)) : hn::Zero(d);
        hn::StoreU(hn::DemoteTo(d16, hn::NearestInt(number)), d16, out + i);
    }
    return largest;
}

#if HWY_TARGET == HWY_SCALAR  // whose vectors have no room for a pair

void add_pairs(const std::int16_t* x, std::size_t pairs, const Fixed* weights, std::size_t width,
               std::int32_t* out) {
    std::fill_n(out, width, 0);
    for (std::size_t p = 0; p < pairs; ++p)
        for (std::size_t k = 0; k < width; ++k, weights += 2)
            out[k] += x[2 * p] * weights[0] + x[2 * p + 1] * weights[1];
}

#else

/// Of `Vectors` vectors of outputs: several sums at a time, as each addition waits for the one
/// before it.
template <std::size_t Vectors>
HWY_INLINE void add_pairs_of(const std::int16_t* HWY_RESTRICT x, std::size_t pairs,
                             const Fixed* HWY_RESTRICT weights, std::size_t width,
                             std::int32_t* HWY_RESTRICT out) {
    const Integers di;
    const hn::Repartition<std::int16_t, Integers> d16;
    hn::Vec<Integers> even[Vectors], odd[Vectors];
    for (std::size_t v = 0; v < Vectors; ++v) even[v] = odd[v] = hn::Zero(di);
    for (std::size_t p = 0; p < pairs; ++p) {
        std::int32_t pair;
        std::memcpy(&pair, x + 2 * p, sizeof pair);
        const auto both = hn::BitCast(d16, hn::Set(di, pair));
        for (std::size_t v = 0; v < Vectors; ++v)
            even[v] = hn::ReorderWidenMulAccumulate(
                di, both, hn::LoadU(d16, weights + 2 * (p * width + v * hn::Lanes(di))), even[v],
                odd[v]);
    }
    for (std::size_t v = 0; v < Vectors; ++v)
        hn::StoreU(hn::RearrangeToOddPlusEven(even[v], odd[v]), di, out + v * hn::Lanes(di));
}

void add_pairs(const std::int16_t* x, std::size_t pairs, const Fixed* weights, std::size_t width,
               std::int32_t* out) {
    constexpr std::size_t kMany = 8;
    const std::size_t lanes = hn::Lanes(Integers());
    std::size_t k = 0;
    for (; k + kMany * lanes <= width; k += kMany * lanes)
        add_pairs_of<kMany>(x, pairs, weights + 2 * k, width, out + k);
    for (; k + 2 * lanes <= width; k += 2 * lanes)
        add_pairs_of<2>(x, pairs, weights + 2 * k, width, out + k);
    for (; k < width; k += lanes) add_pairs_of<1>(x, pairs, weights + 2 * k, width, out + k);
}

#endif

void finish(const std::int32_t* sums, float unit, const float* bias, std::size_t count, bool swish,
            float* HWY_RESTRICT out) {
    const Floats d;
    for (std::size_t k = 0; k < count; k += hn::Lanes(d)) {
        const auto sum = hn::ConvertTo(d, hn::LoadU(Integers(), sums + k));
        auto y = hn::MulAdd(hn::Set(d, unit), sum, hn::LoadU(d, bias + k));
        if (swish) {
            const auto gate = hn::Clamp(hn::Add(y, hn::Set(d, 3)), hn::Zero(d), hn::Set(d, 6));
            y = hn::Mul(y, hn::Mul(gate, hn::Set(d, 1.0f / 6)));
        }
        hn::StoreU(y, d, out + k);
    }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sptune::models
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sptune::models {
namespace {

HWY_EXPORT(largest_and_rounded);
HWY_EXPORT(add_pairs);
HWY_EXPORT(finish);

}  // namespace

LayerSums::LayerSums(const Stored<Fixed>& weights, const std::vector<float>& bias, Then then)
    : inputs_(weights.size() / bias.size()), outputs_(bias.size()), then_(then), bias_(bias) {
    const std::size_t width = filled_up(outputs_), pairs = (inputs_ + 1) / 2;
    bias_.resize(width);
    weights_.resize(2 * pairs * width);
    std::vector<std::int64_t> reach(outputs_);
    for (std::size_t i = 0; i < inputs_; ++i)
        for (std::size_t k = 0; k < outputs_; ++k) {
            const Fixed w = weights[i * outputs_ + k];
            weights_[2 * (i / 2 * width + k) + i % 2] = w;
            reach[k] += w < 0 ? -w : w;
        }
    constexpr std::int64_t kMostSum = INT32_MAX, kMostInput = INT16_MAX, kLeast = 100;
    const std::int64_t farthest = *std::max_element(reach.begin(), reach.end());
    const std::int64_t most = std::min(kMostSum / std::max<std::int64_t>(farthest, 1), kMostInput);
    if (most < kLeast) throw Error("network: a layer has too many weights, or too large ones");
    most_ = static_cast<float>(most);
}

void LayerSums::operator()(const float* x, float* out) const {
    const std::size_t width = bias_.size(), filled = filled_up(inputs_);
    auto& inputs = of_this_thread<std::vector<std::int16_t>, struct Inputs>();
    auto& sums = of_this_thread<std::vector<std::int32_t>, struct Sums>();
    if (inputs.size() < filled) inputs.resize(filled);
    if (sums.size() < width) sums.resize(width);
    const float largest =
        HWY_DYNAMIC_DISPATCH(largest_and_rounded)(x, filled, most_, inputs.data());
    HWY_DYNAMIC_DISPATCH(add_pairs)
    (inputs.data(), (inputs_ + 1) / 2, weights_.data(), width, sums.data());
    const bool swish = then_ == Then::hard_swish;
    HWY_DYNAMIC_DISPATCH(finish)
    (sums.data(), kFixedUnit * largest / most_, bias_.data(), width, swish, out);
}

}  // namespace sptune::models
#endif
