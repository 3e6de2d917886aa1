// Seeded synthetic matrices, the same on every platform and for every number of threads.
#pragma once

#include "matrix/csr.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace sptune {

/// One parameter of a family, e.g. {"rows", "number of rows", 1000}.
struct FamilyParameter {
    std::string_view name;
    std::string_view help;
    double fallback;
};

/// One kind of matrix: what `sptune generate FAMILY` offers and what its --help prints.
struct Family {
    std::string_view name;
    std::string_view help;
    std::span<const FamilyParameter> parameters;
};

/// All families, from one declared table.
std::span<const Family> families();

/// What every family takes beside its own parameters.
std::span<const FamilyParameter> change_parameters();

struct GenerateRequest {
    std::string family;
    std::map<std::string, double> parameters;  ///< those left out take the family's fallback
    std::uint64_t seed = 1;
};

/// Upper bound of the nonzeros, known before anything is allocated: decides on P.
std::int64_t expected_nnz(const GenerateRequest& request);

/// Makes the matrix. Throws UsageError for an unknown family or parameter (naming those that
/// exist) and for values out of range, OutOfMemory where it does not fit.
template <class T, class P = std::int32_t>
Csr<T, P> generate(const GenerateRequest& request);

}  // namespace sptune
