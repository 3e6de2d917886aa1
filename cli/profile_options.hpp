// The command line of `sptune profile`.
#pragma once

#include "kernels/variant.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sptune::cli {

struct ProfileOptions {
    std::vector<std::string> matrices;
    std::string backend = "auto", precision = "f64", op = "spmv", cache = "warm";
    std::string variants = "*";
    std::string db, json, html, mkl;
    double budget_s = 0;  ///< per matrix; 0: none
    double calls = 0;     ///< 0: not asked for
    int threads = 0;      ///< 0: all
    std::uint64_t seed = 1;
    bool resume = false, fresh = false, no_db = false, all = false;
};

/// False when --help was printed. Throws UsageError, and DeviceError for a backend that this build
/// does not have.
bool parse_profile(const std::vector<std::string>& args, ProfileOptions& options);

/// What --backend means here: "auto" is the GPU where there is one, "all" the CPU and the GPU.
std::vector<Backend> backends_of(const std::string& choice);

}  // namespace sptune::cli
