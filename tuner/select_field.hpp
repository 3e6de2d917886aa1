// The kernels that a choice is made among.
#pragma once

#include "tuner/decide.hpp"
#include "tuner/select.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sptune::tuner {

/// One kernel with what is known or predicted of it.
template <class T, class P>
struct Entrant {
    const SpmvKernel<T, P>* kernel;
    std::string_view id;      ///< as the KernelIndex has it
    double predicted_us = 0;  ///< of one call
    double convert_us = 0;    ///< once
    bool measured = false;    ///< on this matrix, so that its layout is known to do
    bool looked = false;      ///< closer (look_closer())
    /// Bytes of A that a look at some of the rows lets one expect; else the features tell.
    std::optional<double> seen = {};

    double total_us(double calls) const { return predicted_us + convert_us / calls; }
    Ranked ranked() const { return {std::string(id), predicted_us, convert_us}; }
};
template <class T, class P>
using Field = std::vector<Entrant<T, P>>;

/// Calls after which the conversion of `chosen` has paid for itself; 0: at once, negative: never.
inline double break_even_calls(const Ranked& chosen, const Ranked& baseline) {
    if (chosen.convert_us <= 0) return 0;
    const double saved = baseline.predicted_us - chosen.predicted_us;
    return saved > 0 ? std::ceil(chosen.convert_us / saved) : -1;
}

/// The least predicted time and share of the conversion first. Plain CSR where nothing beats it by
/// enough, and `preferred` where nothing is better than it by more than a tie.
template <class T, class P>
void put_in_order(Field<T, P>& field, double calls, const SpmvKernel<T, P>& baseline,
                  double worthwhile, const std::string& preferred) {
    std::stable_sort(field.begin(), field.end(), [&](const auto& a, const auto& b) {
        return a.total_us(calls) < b.total_us(calls);
    });
    const auto plain = std::find_if(field.begin(), field.end(),
                                    [&](const auto& e) { return e.kernel == &baseline; });
    if (plain != field.end() && field.front().total_us(calls) > worthwhile * plain->total_us(calls))
        std::rotate(field.begin(), plain, plain + 1);
    const auto winner =
        std::find_if(field.begin(), field.end(), [&](const auto& e) { return e.id == preferred; });
    if (winner != field.end() && winner->total_us(calls) <= kTie * field.front().total_us(calls))
        std::rotate(field.begin(), winner, winner + 1);
}

/// Where all threads are one: leaves out kernels for one that are there for all as well.
template <class T, class P>
void leave_out_twins(Field<T, P>& field) {
    std::vector<std::string_view> ids;
    for (const Entrant<T, P>& e : field) ids.push_back(e.id);
    std::erase_if(field, [&](const Entrant<T, P>& e) {
        Variant all = e.kernel->variant;
        const auto workers = std::find_if(all.params.begin(), all.params.end(), [](const Param& p) {
            return p.name == "w" && p.value == 1;
        });
        if (workers == all.params.end()) return false;
        workers->value = kAll;
        return std::find(ids.begin(), ids.end(), all.id()) != ids.end();
    });
}

/// The sweep has compared its winner with the rest more carefully than medians of different stages
/// tell: nothing counts as faster.
template <class T, class P>
void nothing_beats(const std::string& winner, Field<T, P>& field) {
    const auto it =
        std::find_if(field.begin(), field.end(), [&](const auto& e) { return e.id == winner; });
    if (it == field.end()) return;
    const double least = it->predicted_us;
    for (Entrant<T, P>& e : field) e.predicted_us = std::max(e.predicted_us, least);
    std::rotate(field.begin(), it, it + 1);
}

}  // namespace sptune::tuner
