// What every sweep does once the kernels of its backend have been turned into contenders.
#pragma once

#include "matrix/csr_bytes.hpp"
#include "tuner/search.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sptune::tuner {

/// The operation and the matrix, as far as a sweep has to know them.
struct Subject {
    Op op = Op::spmv;
    std::int64_t rows = 0, cols = 0, nnz = 0;  ///< of A
    ValueType value = ValueType::f64;
    IndexType index = IndexType::i32;
    double flops = 0;                             ///< of one call
    std::uint64_t csr_bytes = 0;                  ///< of A as CSR
    std::uint64_t vector_bytes = 0;               ///< of what one call moves beside A
    std::uint64_t least_bytes = 0;                ///< of those, what no kernel can help moving
    std::uint64_t used_cols = 0;                  ///< columns with an entry
    std::optional<ProductFeatures> product = {};  ///< for C = A·B
    bool one_value = false;                       ///< Provenance::one_value
};

/// What candidates may hold where nobody has named a limit.
inline void limit_storage(SweepOptions& options, std::uint64_t bytes) {
    if (options.limits.storage_bytes == Limits{}.storage_bytes)
        options.limits.storage_bytes = bytes;
}

template <class T, class P>
Subject subject_of(CsrView<T, P> a, std::uint64_t used_cols) {
    const auto rows = static_cast<std::uint64_t>(a.rows);
    const auto nnz = static_cast<std::uint64_t>(a.nnz());
    Subject s;
    s.rows = a.rows, s.cols = a.cols, s.nnz = static_cast<std::int64_t>(nnz);
    s.value = value_type_of<T>();
    s.index = index_type_of<P>();
    s.flops = 2.0 * static_cast<double>(nnz);
    s.csr_bytes = csr_bytes(a);
    s.vector_bytes = (rows + used_cols) * sizeof(T);
    // Writing y may overlap with reading in caches, so only reads count.
    s.least_bytes = used_cols * sizeof(T);
    s.used_cols = used_cols;
    return s;
}

/// Whether the options ask for this variant; the baseline and the guest are always measured.
bool wanted_by(const Variant& variant, const std::string& baseline, const SweepOptions& options);

/// Searches among `contenders` and writes down what was found.
SweepResult sweep_contenders(const Subject& subject, const Features& features,
                             std::vector<Contender> contenders, const std::string& baseline,
                             const db::Device& device, const SweepOptions& options);

}  // namespace sptune::tuner
