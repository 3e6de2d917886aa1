// What a database says of a matrix, as a choice needs it.
#pragma once

#include "db/databases.hpp"
#include "models/one_value.hpp"
#include "tuner/kernel_index.hpp"
#include "tuner/select_field.hpp"
#include "tuner/select_reasons.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace sptune::tuner {

/// What `digest` has measured of kernels that are here and have not changed since, in a loop or, as
/// far as that is known, in graphs. `lookup` gets to know of the others.
template <class T, class P>
Field<T, P> field_of(const db::Digest& digest, const KernelIndex<T, P>& kernels, bool in_graphs,
                     Lookup& lookup) {
    Field<T, P> field;
    for (const db::Measured& c : digest.fastest) {
        const SpmvKernel<T, P>* kernel = kernels.find(c.id);
        const bool changed = kernel && c.kernel_hash != kernel->variant.kernel_hash;
        if (kernel && !changed) {
            const double us = in_graphs && c.device_us > 0 ? c.device_us : c.median_us;
            field.push_back({kernel, kernels.id(*kernel), us, c.convert_us, true});
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

/// Of an entry whose values were all the same, for a matrix with others: kernels that left them out
/// take longer.
template <class T, class P>
void count_values(const Features& of, Field<T, P>& field) {
    for (Entrant<T, P>& e : field) e.predicted_us /= models::one_value_share(e.kernel->variant, of);
}

/// Among its fastest ones.
inline bool has_measured(const db::Digest& digest, std::string_view id) {
    return std::any_of(digest.fastest.begin(), digest.fastest.end(),
                       [&](const db::Measured& c) { return c.id == id; });
}

/// Whether stored features can be those of `a`, which has this fingerprint.
template <class T, class P>
bool is_of(CsrView<T, P> a, const Features& f, std::uint64_t fingerprint) {
    return f.fingerprint == fingerprint && f.rows == a.rows && f.cols == a.cols && f.nnz == a.nnz();
}

}  // namespace sptune::tuner
