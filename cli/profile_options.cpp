#include "cli/profile_options.hpp"

#include "cli/options.hpp"
#include "matrix/error.hpp"

namespace sptune::cli {

bool parse_profile(const std::vector<std::string>& args, ProfileOptions& o) {
    Options options("profile", "MATRIX...",
                    "Measures every kernel that suits each matrix, checks its results, shows which "
                    "is fastest and why, and stores what was found in the tuning database.");
    declare_sweep(options, o)
        .number("calls", "N", o.calls, 1, 1e15,
                "also recommend a kernel for N calls, conversion included")
        .text("variants", "GLOB", o.variants,
              "only kernels whose id matches, e.g. '*.sell.*,*.csr.*' (`sptune info --kernels '*'` "
              "lists them); the baseline always runs")
        .integer("seed", "S", o.seed, "of x and of the order of measurements (1)")
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
        .example("sptune profile matrix.mtx --op spgemm")
        .example("sptune profile *.mtx --json results.json --mkl /opt/intel/oneapi/mkl/latest/lib")
        .note(std::string("After --budget or Ctrl-C the next run goes on with what was cut short; "
                          "with --resume it\n"
                          "takes over the matrices that were finished, too.\n") +
              kSweepCodes);
    if (!options.parse(args)) return false;
    if (o.resume && o.fresh) throw UsageError("--resume and --fresh exclude each other");
    check_sweep(o);
    return true;
}

}  // namespace sptune::cli
