#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/exponentials.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.
#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"
#include "models/exponentials.hpp"
#include "models/whole_vectors.hpp"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace sptune::models {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

void exponentiate_one_vector(float* numbers) {
    const hn::CappedTag<float, kTogether> d;
    constexpr float kMost = 89;  // e to this power is infinite; Highway's goes astray further up
    const auto x = hn::LoadU(d, numbers);
    const auto result = hn::Exp(d, hn::Min(x, hn::Set(d, kMost)));
    hn::StoreU(hn::IfThenElse(hn::IsNaN(x), x, result), d, numbers);
}

void exponentiate(float* numbers, std::size_t count) {
    const std::size_t lanes = hn::Lanes(hn::CappedTag<float, kTogether>());
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes) exponentiate_one_vector(numbers + i);
    if (i == count) return;
    float rest[kTogether] = {};
    std::copy(numbers + i, numbers + count, rest);
    exponentiate_one_vector(rest);
    std::copy_n(rest, count - i, numbers + i);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sptune::models
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sptune::models {
namespace {

HWY_EXPORT(exponentiate);

}  // namespace

void exponentiate(std::span<float> numbers) {
    HWY_DYNAMIC_DISPATCH(exponentiate)(numbers.data(), numbers.size());
}

}  // namespace sptune::models
#endif
