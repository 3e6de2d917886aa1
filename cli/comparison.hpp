// What `sptune compare` says of one matrix, and the sum of many.
#pragma once

#include "db/entry.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace sptune::cli {

/// What a user who asks the library would have got.
struct AutoChoice {
    std::string id;
    double select_us = 0;  ///< it took to choose; not for the first time (steady_choice.hpp)
    std::string source = "exact";
};

struct Comparison {
    std::string matrix;
    std::int64_t rows = 0, cols = 0, nnz = 0;
    ValueType precision = ValueType::f64;
    Op op = Op::spmv;
    std::uint64_t products = 0;  ///< multiplications of C = A·B; 0 for SpMV
    /// Least time in which the arrays of CSR, the entries of x that are used, and y can be moved at
    /// the measured bandwidth; formats with less bytes may beat it. For C = A·B: A and B read once,
    /// C written once, nnz(C) estimated for large products. Nothing where that is unknown.
    std::optional<double> floor_us;

    struct Timed {
        std::string id, name;  ///< name: short_id()
        double time_us = 0;
        double convert_us = 0;
    };
    // Nothing where no such candidate could be measured. csr: the baseline.
    std::optional<Timed> csr, oracle, chosen;
    AutoChoice choice;             ///< how `chosen` came about
    std::string missing;           ///< why there is no time of `choice`; empty where there is
    bool complete = true;          ///< every kernel was measured or ruled out
    bool without_values = false;   ///< see was_without_values()
    std::optional<double> regret;  ///< of `chosen`, as tuner::regret() has it
    std::vector<Timed> vendor;     ///< every vendor candidate with a time, the fastest first

    const Timed* vendor_best() const { return vendor.empty() ? nullptr : &vendor.front(); }
};

/// `entry` is a sweep's; of a choice that it has not reached (it was stopped) there is no time.
/// `used_cols` counts for SpMV alone.
Comparison compare(const db::Entry& entry, std::uint64_t used_cols, const AutoChoice& choice);

/// Speed-ups: time of the second / time of the first, above 1 where the first is faster. Nothing
/// where one of them is missing.
struct Ratios {
    std::optional<double> oracle_vs_vendor_best, auto_vs_vendor_best, auto_vs_csr, auto_vs_oracle;
};
Ratios ratios(const Comparison& comparison);
/// Geometric means, each over the matrices that have that ratio.
Ratios geomean(const std::vector<Comparison>& comparisons);

/// Of the comparisons whose regret is known. Slower: than 1.05 times the baseline.
struct Regrets {
    std::size_t count = 0;
    double mean = 0, p95 = 0, slower_share = 0;  ///< mean: geometric
};
std::optional<Regrets> regrets(const std::vector<Comparison>& comparisons);

/// Schema "sptune.compare/1", published in db/schema/compare.schema.json. All of one operation, of
/// as many matrices as were `asked` for or less.
nlohmann::ordered_json compare_document(const db::Device& device, const std::string& cache,
                                        const std::vector<Comparison>& comparisons,
                                        std::size_t asked);

}  // namespace sptune::cli
