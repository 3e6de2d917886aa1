// Kernels that no model knows join a choice by what they are reckoned to take.
#pragma once

#include "tuner/closer_look.hpp"
#include "tuner/select_field.hpp"

#include <algorithm>
#include <limits>

namespace sptune::tuner {

/// The best two of `joining` join the field where they may be the best of all. Whether any has.
template <class T, class P>
bool join_best(Field<T, P>& field, Field<T, P> joining, double calls) {
    constexpr std::size_t kMost = 2;  // one is often as wrong as the other
    const auto total = [&](const Entrant<T, P>& e) { return e.total_us(calls); };
    double least = std::numeric_limits<double>::infinity();
    for (const Entrant<T, P>& e : field) least = std::min(least, total(e));
    std::erase_if(joining,
                  [&](const Entrant<T, P>& e) { return !(total(e) <= kWorthALook * least); });
    std::ranges::stable_sort(joining, {}, total);
    if (joining.size() > kMost) joining.resize(kMost);
    field.insert(field.end(), joining.begin(), joining.end());
    return !joining.empty();
}

}  // namespace sptune::tuner
