// What every command that sweeps lets its user ask for.
#pragma once

#include "kernels/variant.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sptune::cli {

class Options;

struct SweepRequest {
    std::vector<std::string> matrices;
    std::string op = "spmv", backend = "auto", precision = "f64", cache = "warm";
    std::string variants = "*";
    std::string db, mkl, validate;
    double budget_s = 0;  ///< per matrix; 0: none
    int threads = 0;      ///< 0: all
    std::uint64_t seed = 1;
    bool resume = false, fresh = false, no_db = false;
};

/// Declares the operands and --op, --backend, --precision, --cache, --threads, --budget, --mkl,
/// --db, --no-db and --validate.
Options& declare_sweep(Options& options, SweepRequest& request);

/// Once parsed, before any matrix is read. Throws DeviceError for a backend that is not there, and
/// UsageError.
void check_sweep(const SweepRequest& request);

/// What --backend means here: "auto" is the GPU where there is one, "all" the CPU and the GPU.
std::vector<Backend> backends_of(const std::string& choice);

/// For the end of --help.
inline constexpr const char* kSweepCodes =
    "Exit codes: 0 done, 1 failed, 2 usage, 3 input refused, 4 no such device, 5 a kernel was\n"
    "wrong, 6 stopped by the budget, 130, 143, 129 interrupted by Ctrl-C, SIGTERM, SIGHUP (what\n"
    "was measured is stored). With several matrices the first code that is not 0.";

}  // namespace sptune::cli
