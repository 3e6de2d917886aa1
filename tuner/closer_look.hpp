// What a look at some rows changes of predictions that rest on the features alone.
#pragma once

#include "models/holding.hpp"
#include "tuner/kernel_index.hpp"
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

/// What a call on slices of rows takes, in bytes: those that it reads, and as many as a core could
/// read while it fetches the x of an entry by itself, turns to the next slice, and starts. (Fitted
/// to 1423 times of HDIA kernels in 210 sweeps of real matrices, half of them with x fetched by
/// gather instructions, each against the others of its sweep: with bytes alone they are off by 10
/// %, so by 7. From an AVX-512 Xeon, most matrices in its caches; beyond them bytes count for
/// more.)
inline double work_of_slices(double bytes, double gathered, double slices) {
    return bytes + 4 * gathered + 200 * slices + 20'000;
}

/// Predictions are for what features let expect. Of a format that may be the best for so many calls
/// and that can tell more of it, all kernels are predicted to take as much longer or shorter as
/// their work is more or less; those whose layout turns out to be pointless are left out. Kernels
/// that the model does not know join in where a known one differs from them in f alone
/// (KernelIndex::Known::alike) and their layouts turn out to differ. A format that was looked at is
/// not again. Returns whether there was something to look at.
template <class T, class P>
bool look_closer(Field<T, P>& field, double calls, const Features& features, CsrView<T, P> a,
                 const std::vector<Alike<T, P>>& alike) {
    using Entry = Entrant<T, P>;
    double least = std::numeric_limits<double>::infinity();
    for (const Entry& e : field) least = std::min(least, e.total_us(calls));
    std::map<decltype(SpmvKernel<T, P>::estimate), std::map<std::string_view, LayoutEstimate>>
        asked;
    for (const Entry& e : field)
        if (e.kernel->estimate && !e.looked && e.total_us(calls) <= kWorthALook * least)
            asked[e.kernel->estimate];
    // Nearly empty rows tell nothing, however many of them are looked at.
    constexpr std::int64_t kRowsForAnEntry = 16;
    if (asked.empty() || a.rows > kRowsForAnEntry * std::int64_t{a.nnz()}) return false;
    for (auto& [estimate, told_of] : asked) {
        std::vector<Params> params;
        std::vector<std::string_view> layouts;
        const auto ask = [&](const SpmvKernel<T, P>& kernel) {
            const Variant& v = kernel.variant;
            if (kernel.estimate != estimate || !told_of.emplace(v.layout, LayoutEstimate{}).second)
                return;
            params.push_back(v.params);
            layouts.push_back(v.layout);
        };
        for (const Entry& e : field) ask(*e.kernel);
        for (const Alike<T, P>& pair : alike) ask(*pair.unknown);
        const std::vector<LayoutEstimate> told = estimate(a, features, params);
        for (std::size_t i = 0; i < told.size(); ++i) told_of[layouts[i]] = told[i];
    }
    const double vectors = models::vector_bytes(features, sizeof(T));
    const auto work = [&](const SpmvKernel<T, P>& kernel, double bytes, double gathered) {
        const double slices =
            static_cast<double>(a.rows) / models::param_or(kernel.variant.params, "c", 1);
        return work_of_slices(bytes + vectors, gathered, slices);
    };
    const auto expected_work = [&](const SpmvKernel<T, P>& kernel) {
        const models::Holding expected = models::holding(features, kernel.variant);
        return work(kernel, expected.bytes, expected.gathered);
    };
    std::vector<Entry> joining;
    for (const Alike<T, P>& pair : alike) {
        const auto of = asked.find(pair.unknown->estimate);
        const auto known = std::find_if(field.begin(), field.end(),
                                        [&](const Entry& e) { return e.kernel == pair.known; });
        if (of == asked.end() || known == field.end()) continue;
        const LayoutEstimate& told = of->second[pair.unknown->variant.layout];
        const LayoutEstimate& other = of->second[pair.known->variant.layout];
        const bool same = told.bytes == other.bytes && told.gathered == other.gathered;
        if (told.bytes <= 0 || same) continue;
        Entry e = *known;
        e.kernel = pair.unknown, e.id = pair.id, e.looked = true, e.seen = told.bytes;
        e.predicted_us *=
            work(*pair.unknown, told.bytes, told.gathered) / expected_work(*pair.known);
        joining.push_back(e);
    }
    for (Entry& e : field) {
        const auto of = asked.find(e.kernel->estimate);
        if (of == asked.end()) continue;
        e.looked = true;
        const LayoutEstimate& told = of->second[e.kernel->variant.layout];
        if (told.bytes <= 0) continue;
        e.seen = told.bytes;
        e.predicted_us *= work(*e.kernel, told.bytes, told.gathered) / expected_work(*e.kernel);
    }
    field.insert(field.end(), joining.begin(), joining.end());
    std::erase_if(field, [](const Entry& e) { return !std::isfinite(e.predicted_us); });
    return true;
}

}  // namespace sptune::tuner
