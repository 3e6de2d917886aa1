// What a look at some rows changes of predictions that rest on the features alone.
#pragma once

#include "models/holding.hpp"
#include "tuner/select_field.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>
#include <vector>

namespace sptune::tuner {

/// Formats of which nothing is predicted to take at most so many times the least are not looked at.
inline constexpr double kWorthALook = 1.1;

/// Predictions are for the bytes that features let expect. Of a format that may be the best for so
/// many calls and that can tell more of them, all kernels are predicted to take as much longer or
/// shorter as their bytes are more or fewer; those whose layout turns out to be pointless are left
/// out.
template <class T, class P>
void look_closer(Field<T, P>& field, double calls, const Features& features, CsrView<T, P> a) {
    using Entry = Entrant<T, P>;
    double least = std::numeric_limits<double>::infinity();
    for (const Entry& e : field) least = std::min(least, e.total_us(calls));
    std::map<decltype(SpmvKernel<T, P>::estimate), std::map<std::string_view, double>> asked;
    for (const Entry& e : field)
        if (e.kernel->estimate && e.total_us(calls) <= kWorthALook * least)
            asked[e.kernel->estimate];
    if (asked.empty()) return;
    for (auto& [estimate, bytes_of] : asked) {
        std::vector<Params> params;
        std::vector<std::string_view> layouts;
        for (const Entry& e : field) {
            const Variant& v = e.kernel->variant;
            if (e.kernel->estimate != estimate || !bytes_of.emplace(v.layout, 0).second) continue;
            params.push_back(v.params);
            layouts.push_back(v.layout);
        }
        const std::vector<double> told = estimate(a, features, params);
        for (std::size_t i = 0; i < told.size(); ++i) bytes_of[layouts[i]] = told[i];
    }
    const double vectors = models::vector_bytes(features, sizeof(T));
    for (Entry& e : field) {
        const auto of = asked.find(e.kernel->estimate);
        if (of == asked.end()) continue;
        const double told = of->second[e.kernel->variant.layout];
        if (told <= 0) continue;
        e.seen = told;
        e.ranked.predicted_us *= (told + vectors) / static_cast<double>(models::estimated_bytes(
                                                        features, e.kernel->variant));
    }
    std::erase_if(field, [](const Entry& e) { return !std::isfinite(e.ranked.predicted_us); });
}

}  // namespace sptune::tuner
