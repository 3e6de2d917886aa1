// The kernels that a choice is made among.
#pragma once

#include "tuner/decide.hpp"
#include "tuner/select_reasons.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace sptune::tuner {

/// One kernel with what is known or predicted of it.
template <class T, class P>
struct Entrant {
    const SpmvKernel<T, P>* kernel;
    Ranked ranked;
    /// What conversion would hold, where a measurement tells.
    std::optional<std::uint64_t> held;

    double total_us(double calls) const { return ranked.predicted_us + ranked.convert_us / calls; }
};
template <class T, class P>
using Field = std::vector<Entrant<T, P>>;

/// The stored bytes of a call less those of the vectors, as plain CSR's tell them; nothing for what
/// is used in place.
template <class T, class P>
std::uint64_t bytes_held(const db::Candidate& c, const SpmvKernel<T, P>& kernel,
                         const db::Digest& digest, const KernelIndex<T, P>& kernels,
                         const CsrView<T, P>& a) {
    if (kernel.variant.layout == kernels.baseline().variant.layout) return 0;
    const auto plain = std::find_if(digest.fastest.begin(), digest.fastest.end(),
                                    [&](const auto& d) { return d.id == digest.baseline; });
    const std::uint64_t csr = static_cast<std::uint64_t>(a.nnz()) * (sizeof(T) + sizeof(index_t)) +
                              (static_cast<std::uint64_t>(a.rows) + 1) * sizeof(P);
    const std::uint64_t vectors =
        plain != digest.fastest.end() && plain->bytes > csr ? plain->bytes - csr : 0;
    return c.bytes > vectors ? c.bytes - vectors : 0;
}

/// What `digest` has measured of kernels that are here and have not changed since. `lookup` gets to
/// know of the others.
template <class T, class P>
Field<T, P> field_of(const db::Digest& digest, const KernelIndex<T, P>& kernels,
                     const CsrView<T, P>& a, Lookup& lookup) {
    Field<T, P> field;
    for (const db::Candidate& c : digest.fastest) {
        const SpmvKernel<T, P>* kernel = kernels.find(c.id);
        const bool changed = kernel && c.kernel_hash != kernel->variant.kernel_hash;
        if (kernel && !changed && c.time) {
            field.push_back({kernel,
                             {c.id, c.time->median, c.convert_us},
                             bytes_held(c, *kernel, digest, kernels, a)});
            continue;
        }
        ++lookup.stale;
        if (c.id == digest.winner)
            lookup.notes.push_back(
                fmt::format("{}, stored as the fastest, {}", c.id,
                            kernel ? "has changed since" : "is unknown to this build or machine"));
    }
    return field;
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
    const auto winner = std::find_if(field.begin(), field.end(),
                                     [&](const auto& e) { return e.ranked.id == preferred; });
    if (winner != field.end() && winner->total_us(calls) <= kTie * field.front().total_us(calls))
        std::rotate(field.begin(), winner, winner + 1);
}

/// The sweep has compared its winner with the rest more carefully than medians of different stages
/// tell: nothing counts as faster.
template <class T, class P>
void nothing_beats(const std::string& winner, Field<T, P>& field) {
    const auto it = std::find_if(field.begin(), field.end(),
                                 [&](const auto& e) { return e.ranked.id == winner; });
    if (it == field.end()) return;
    const double least = it->ranked.predicted_us;
    for (Entrant<T, P>& e : field) e.ranked.predicted_us = std::max(e.ranked.predicted_us, least);
    std::rotate(field.begin(), it, it + 1);
}

}  // namespace sptune::tuner
