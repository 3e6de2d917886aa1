#include "cli/profile_options.hpp"

#include "cli/db_command.hpp"
#include "cli/options.hpp"
#include "kernels/cuda_probe.hpp"
#include "matrix/error.hpp"

namespace sptune::cli {

bool parse_profile(const std::vector<std::string>& args, ProfileOptions& o) {
    Options options("profile", "MATRIX...",
                    "Measures every kernel that suits each matrix, checks its results, shows which "
                    "is fastest and why, and stores what was found in the tuning database.");
    options.operands(o.matrices, 1, ~std::size_t{0})
        .choice("backend", {"auto", "cpu", "cuda", "all"}, o.backend,
                "where to run (auto: the GPU where there is one, else the CPU; all: both)")
        .choice("precision", {"f32", "f64"}, o.precision, "type of the values (f64)")
        .choice("op", {"spmv", "spgemm"}, o.op, "y = αAx + βy or C = A·B (spmv)")
        .number("budget", "SECONDS", o.budget_s, 0, 1e9,
                "stop after so long per matrix; the next run goes on from there (0: no limit)")
        .number("calls", "N", o.calls, 1, 1e15,
                "also recommend a kernel for N calls, conversion included")
        .text("variants", "GLOB", o.variants,
              "only kernels whose id matches, e.g. '*.sell.*,*.csr.*'; the baseline always runs")
        .choice("cache", {"warm", "cold"}, o.cache,
                "back-to-back calls, or caches flushed before each call (warm)")
        .integer("threads", "N", o.threads, 0, 4096, "threads to use (0: all)")
        .integer("seed", "S", o.seed, "of x and of the order of measurements (1)")
        .text("mkl", "PATH", o.mkl, "libmkl_rt.so.2 or its folder, to measure Intel MKL too")
        .text("db", "PATH", o.db, kDbHelp)
        .flag("no-db", o.no_db, "neither read nor write the database")
        .flag("resume", o.resume, "take over all stored times whose kernel is unchanged")
        .flag("fresh", o.fresh, "measure everything anew, also after a run that was cut short")
        .text(
            "json", "FILE|-", o.json,
            "write the full result; - prints it alone on stdout. Several matrices or backends: an "
            "array")
        .text("html", "FILE", o.html, "write a page for the browser: charts and tables")
        .flag("all,a", o.all, "show every measured kernel, not only the highlights")
        .flag("verbose", o.all, "the same as --all")
        .example("sptune profile matrix.mtx")
        .example("sptune profile matrix.mtx.gz --precision f32 --calls 500 --budget 20")
        .example("sptune profile *.mtx --json results.json --mkl /opt/intel/oneapi/mkl/latest/lib")
        .note(
            "Exit codes: 0 done, 1 failed, 2 usage, 3 input refused, 4 no such device, 5 a kernel "
            "was "
            "wrong,\n6 stopped by the budget, 130 interrupted (Ctrl-C stores what was measured). "
            "With several matrices\nthe first code that is not 0.");
    if (!options.parse(args)) return false;
    if (o.resume && o.fresh) throw UsageError("--resume and --fresh exclude each other");
    if (o.op == "spgemm")
        throw UsageError("--op spgemm: sparse × sparse is not in this version; only spmv is");
    if (o.backend == "cuda" || o.backend == "all") require_cuda();
    return true;
}

std::vector<Backend> backends_of(const std::string& choice) {
    if (choice == "all") return {Backend::cpu, Backend::cuda};
    if (choice == "cpu" || (choice == "auto" && !cuda_usable())) return {Backend::cpu};
    return {Backend::cuda};
}

}  // namespace sptune::cli
