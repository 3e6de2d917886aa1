// What a database says of a matrix, as a choice needs it.
#pragma once

#include "db/databases.hpp"
#include "tuner/kernel_index.hpp"
#include "tuner/select_field.hpp"
#include "tuner/select_reasons.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace sptune::tuner {

/// Makes ids those of the same kernels for another width of the row pointer, their last word.
inline void rename(db::Digest& digest, IndexType index) {
    const auto name = [&](std::string& id) {
        if (const std::size_t dot = id.rfind('.'); dot != std::string::npos)
            id.replace(dot + 1, std::string::npos, to_string(index));
    };
    name(digest.winner);
    name(digest.baseline);
    for (db::Candidate& c : digest.fastest) name(c.id);
}

/// What `digest` has measured of kernels that are here and have not changed since. `lookup` gets to
/// know of the others.
template <class T, class P>
Field<T, P> field_of(const db::Digest& digest, const KernelIndex<T, P>& kernels, Lookup& lookup) {
    Field<T, P> field;
    for (const db::Candidate& c : digest.fastest) {
        const SpmvKernel<T, P>* kernel = kernels.find(c.id);
        const bool changed = kernel && c.kernel_hash != kernel->variant.kernel_hash;
        if (kernel && !changed && c.time) {
            field.push_back({kernel, kernels.id(*kernel), c.time->median, c.convert_us, true});
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

/// Among its fastest ones.
inline bool has_measured(const db::Digest& digest, std::string_view id) {
    return std::any_of(digest.fastest.begin(), digest.fastest.end(),
                       [&](const db::Candidate& c) { return c.id == id; });
}

/// Whether stored features can be those of `a`, which has this fingerprint.
template <class T, class P>
bool is_of(CsrView<T, P> a, const Features& f, std::uint64_t fingerprint) {
    return f.fingerprint == fingerprint && f.rows == a.rows && f.cols == a.cols && f.nnz == a.nnz();
}

/// The measurement of a matrix with this fingerprint on a device. `missed` says more where there is
/// none.
template <class T, class P>
std::optional<db::Digest> stored_digest(const db::Store& store, const std::string& device_key,
                                        std::uint64_t fingerprint, db::Missed& missed) {
    const auto of = [&](IndexType index, db::Missed* why) {
        return store.digest(device_key,
                            db::entry_key(Op::spmv, value_type_of<T>(), index, fingerprint, "warm"),
                            why);
    };
    auto digest = of(index_type_of<P>(), &missed);
    // A profile has narrow row pointers where they suffice. They decide nothing but their own
    // width, and nearly all layouts have none.
    if (!digest && index_type_of<P>() == IndexType::i64) {
        digest = of(IndexType::i32, nullptr);
        if (digest) rename(*digest, IndexType::i64);
    }
    return digest;
}

}  // namespace sptune::tuner
