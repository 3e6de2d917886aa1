#include "cli/sweep_request.hpp"

#include "cli/db_command.hpp"
#include "cli/options.hpp"
#include "kernels/cuda_probe.hpp"
#include "matrix/error.hpp"
#include "tuner/versions.hpp"

namespace sptune::cli {

Options& declare_sweep(Options& options, SweepRequest& r) {
    return options.operands(r.matrices, 1, ~std::size_t{0})
        .choice("op", {"spmv", "spgemm"}, r.op,
                "y = αAx, or C = A·A (A·Aᵀ where A is not square) (spmv)")
        .choice("backend", {"auto", "cpu", "cuda", "all"}, r.backend,
                "where to run (auto: the GPU where there is one, else the CPU; all: both)")
        .choice("precision", {"f32", "f64"}, r.precision, "type of the values (f64)")
        .choice("cache", {"warm", "cold"}, r.cache,
                "back-to-back calls, or caches flushed before each call (warm)")
        .integer("threads", "N", r.threads, 0, 4096, "threads to use (0: all)")
        .number("budget", "SECONDS", r.budget_s, 0, 1e9,
                "sweep for so long per matrix and backend; reading it and measuring the machine's "
                "bandwidth come on top (0: no limit)")
        .text("mkl", "PATH", r.mkl, "MKL's libmkl_rt.so.N or its folder, to measure Intel MKL too")
        .text("db", "PATH", r.db, kOwnDbHelp)
        .flag("no-db", r.no_db, "neither read nor write the database")
        .choice("validate", {"strict", "warn", "ignore"}, r.validate, kValidateHelp);
}

void check_sweep(const SweepRequest& request) {
    if (request.no_db && !request.db.empty())
        throw UsageError("--no-db and --db exclude each other");
    if (request.no_db && request.resume)
        throw UsageError("--resume takes times from the database, which --no-db leaves out");
    tuner::parse_validate(request.validate);
    if (request.backend == "cuda" || request.backend == "all") require_cuda();
}

std::vector<Backend> backends_of(const std::string& choice) {
    if (choice == "all") return {Backend::cpu, Backend::cuda};
    if (choice == "cpu" || (choice == "auto" && !cuda_usable())) return {Backend::cpu};
    return {Backend::cuda};
}

}  // namespace sptune::cli
