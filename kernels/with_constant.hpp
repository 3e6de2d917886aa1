// From a number that is known when the program runs to one that the compiler knows.
#pragma once

#include <type_traits>

namespace sptune {

/// Calls use(std::integral_constant<int, v>) for the v among `First, Rest...` that `value` is;
/// where it is none of them, throws what none() makes.
template <int First, int... Rest, class Use, class None>
auto with_constant(int value, Use use, None none) {
    if (value == First) return use(std::integral_constant<int, First>{});
    if constexpr (sizeof...(Rest) > 0)
        return with_constant<Rest...>(value, use, none);
    else
        throw none();
}

}  // namespace sptune
