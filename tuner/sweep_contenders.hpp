// What every sweep does once the kernels of its backend have been turned into contenders.
#pragma once

#include "tuner/search.hpp"

#include <string>
#include <vector>

namespace sptune::tuner {

/// The matrix, as far as a sweep has to know it.
struct Subject {
    std::int64_t rows = 0, cols = 0, nnz = 0;
    ValueType value = ValueType::f64;
    IndexType index = IndexType::i32;
    std::uint64_t value_bytes = 0, pointer_bytes = 0;  ///< of one
    std::uint64_t used_cols = 0;                       ///< columns with an entry
};

template <class T, class P>
Subject subject_of(CsrView<T, P> a, std::uint64_t used_cols) {
    return {a.rows,
            a.cols,
            static_cast<std::int64_t>(a.nnz()),
            value_type_of<T>(),
            index_type_of<P>(),
            sizeof(T),
            sizeof(P),
            used_cols};
}

/// Whether the options ask for this variant; the baseline and the guest are always measured.
bool wanted_by(const Variant& variant, const std::string& baseline, const SweepOptions& options);

/// Searches among `contenders` and writes down what was found.
SweepResult sweep_contenders(const Subject& subject, const Features& features,
                             std::vector<Contender> contenders, const std::string& baseline,
                             const db::Device& device, const SweepOptions& options);

}  // namespace sptune::tuner
