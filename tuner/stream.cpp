#include "tuner/stream.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tuner/stream.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace sptune::tuner {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

std::uint64_t sum_words(const std::uint64_t* HWY_RESTRICT data, std::size_t words) {
    // Eight chains hide the latency of the addition; at most eight lanes each, so that 64 words are
    // a whole number of steps.
    const hn::CappedTag<std::uint64_t, 8> d;
    const std::size_t n = hn::Lanes(d);
    auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
    for (std::size_t i = 0; i < words; i += 8 * n) {
        s0 = hn::Add(s0, hn::Load(d, data + i));
        s1 = hn::Add(s1, hn::Load(d, data + i + n));
        s2 = hn::Add(s2, hn::Load(d, data + i + 2 * n));
        s3 = hn::Add(s3, hn::Load(d, data + i + 3 * n));
        s4 = hn::Add(s4, hn::Load(d, data + i + 4 * n));
        s5 = hn::Add(s5, hn::Load(d, data + i + 5 * n));
        s6 = hn::Add(s6, hn::Load(d, data + i + 6 * n));
        s7 = hn::Add(s7, hn::Load(d, data + i + 7 * n));
    }
    const auto low = hn::Add(hn::Add(s0, s1), hn::Add(s2, s3));
    const auto high = hn::Add(hn::Add(s4, s5), hn::Add(s6, s7));
    return hn::GetLane(hn::SumOfLanes(d, hn::Add(low, high)));
}

}  // namespace HWY_NAMESPACE
}  // namespace sptune::tuner
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sptune::tuner {

HWY_EXPORT(sum_words);

std::uint64_t stream_sum(const std::uint64_t* data, std::size_t words) {
    return HWY_DYNAMIC_DISPATCH(sum_words)(data, words);
}

}  // namespace sptune::tuner
#endif
