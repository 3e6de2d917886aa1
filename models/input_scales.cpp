#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/input_scales.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.
#include "hwy/highway.h"
#include "models/input_scales.hpp"
#include "models/whole_vectors.hpp"

#include <algorithm>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace sptune::models {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

/// See InputScale::of(). The table as InputScales has it; x and out are filled up.
void scale(const float* table, std::size_t filled, std::size_t quantiles, float farthest,
           float wide, const float* x, float* HWY_RESTRICT out) {
    const hn::CappedTag<float, kTogether> d;
    const auto none = hn::Set(d, std::numeric_limits<float>::infinity());
    const auto half = hn::Set(d, 0.5f), one = hn::Set(d, 1);
    for (std::size_t i = 0; i < filled; i += hn::Lanes(d)) {
        const auto of = [&](std::size_t row) { return hn::LoadU(d, table + row * filled + i); };
        const auto v = hn::LoadU(d, x + i), step = of(2);
        auto low = hn::Neg(none), high = none, above = hn::Zero(d);
        for (std::size_t q = 0; q < quantiles; ++q) {
            const auto quantile = of(3 + q);
            const auto reached = hn::Le(quantile, v);
            above = hn::Add(above, hn::IfThenElseZero(reached, one));
            low = hn::IfThenElse(reached, quantile, low);
            high = hn::Min(high, hn::IfThenElse(reached, none, quantile));
        }
        // Among the quantiles; before the first and behind the last there is no share of a step.
        const auto between = hn::And(hn::Gt(above, hn::Zero(d)), hn::Lt(high, none));
        const auto share = hn::Div(hn::Sub(v, low), hn::Sub(high, low));
        const auto place =
            hn::Add(hn::Max(hn::Sub(above, one), hn::Zero(d)), hn::IfThenElseZero(between, share));
        const auto distance = hn::Clamp(hn::Div(hn::Sub(v, of(0)), of(1)), hn::Set(d, -farthest),
                                        hn::Set(d, farthest));
        const auto spread = hn::IfThenElseZero(hn::Gt(step, hn::Zero(d)),
                                               hn::Sub(hn::Mul(step, place), hn::Set(d, wide)));
        hn::StoreU(hn::Mul(half, hn::Add(spread, distance)), d, out + i);
    }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sptune::models
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sptune::models {
namespace {

HWY_EXPORT(scale);

constexpr float kFarthest = 3;  ///< deviations from the mean
constexpr float kWide = 1.7f;   ///< as wide as what is spread evenly and has a deviation of 1

}  // namespace

float InputScale::of(float x) const {
    const float distance = std::clamp((x - mean) / deviation, -kFarthest, kFarthest);
    const std::size_t steps = quantiles.size() - 1;
    if (steps == 0) return 0.5f * distance;
    // From -1 to 1, in equal steps from one quantile to the next.
    const auto next = std::upper_bound(quantiles.begin(), quantiles.end(), x);
    float place = next == quantiles.begin() ? 0.0f : static_cast<float>(steps);
    if (next != quantiles.begin() && next != quantiles.end())
        place =
            static_cast<float>(next - quantiles.begin() - 1) + (x - next[-1]) / (*next - next[-1]);
    return 0.5f * (kWide * (2 * place / static_cast<float>(steps) - 1) + distance);
}

InputScales::InputScales(const std::vector<InputScale>& scales) : count_(scales.size()) {
    filled_ = filled_up(count_);
    for (const InputScale& s : scales) quantiles_ = std::max(quantiles_, s.quantiles.size());
    table_.assign((3 + quantiles_) * filled_, std::numeric_limits<float>::infinity());
    std::fill_n(table_.begin(), 3 * filled_, 1.0f);
    for (std::size_t i = 0; i < count_; ++i) {
        const InputScale& s = scales[i];
        const auto steps = static_cast<float>(s.quantiles.size() - 1);
        table_[i] = s.mean, table_[filled_ + i] = s.deviation;
        table_[2 * filled_ + i] = steps > 0 ? 2 * kWide / steps : 0;
        for (std::size_t q = 0; q < s.quantiles.size(); ++q)
            table_[(3 + q) * filled_ + i] = s.quantiles[q];
    }
}

void InputScales::operator()(const float* x, float* out) const {
    std::vector<float> room(2 * filled_);
    std::copy_n(x, count_, room.begin());
    HWY_DYNAMIC_DISPATCH(scale)
    (table_.data(), filled_, quantiles_, kFarthest, kWide, room.data(), room.data() + filled_);
    std::copy_n(room.begin() + static_cast<std::ptrdiff_t>(filled_), count_, out);
}

}  // namespace sptune::models
#endif
