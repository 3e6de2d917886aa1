#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/exponentials.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.
#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"
#include "models/exponentials.hpp"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace sptune::models {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

void exponentiate(float* numbers, std::size_t count) {
    const hn::CappedTag<float, 16> d;
    const std::size_t lanes = hn::Lanes(d);
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes)
        hn::StoreU(hn::Exp(d, hn::LoadU(d, numbers + i)), d, numbers + i);
    if (i == count) return;
    float rest[16] = {};
    std::copy(numbers + i, numbers + count, rest);
    hn::StoreU(hn::Exp(d, hn::LoadU(d, rest)), d, rest);
    std::copy_n(rest, count - i, numbers + i);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sptune::models
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sptune::models {
HWY_EXPORT(exponentiate);
void exponentiate(std::span<float> numbers) {
    HWY_DYNAMIC_DISPATCH(exponentiate)(numbers.data(), numbers.size());
}
}  // namespace sptune::models
#endif
