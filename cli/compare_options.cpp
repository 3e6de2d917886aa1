#include "cli/compare_options.hpp"

#include "cli/options.hpp"

namespace sptune::cli {

bool parse_compare(const std::vector<std::string>& args, CompareOptions& o) {
    Options options("compare", "MATRIX...",
                    "Measures, for each matrix in one sweep: the plain kernel, every kernel of the "
                    "vendor's library, the oracle (the fastest of all kernels), what sptune would "
                    "have chosen, and the time that moving the matrices takes at least.");
    declare_sweep(options, o)
        .text("json", "FILE|-", o.json,
              "write the full result; - prints it alone on stdout. --backend all: an array")
        .example("sptune compare matrix.mtx")
        .example("sptune compare *.mtx --precision f32 --json compare.json")
        .example("sptune compare matrix.mtx --op spgemm")
        .example("sptune compare *.mtx --backend cpu --mkl /opt/intel/oneapi/mkl/latest/lib")
        .note(std::string("Everything is measured anew. \"auto\" is what the library would have "
                          "chosen before the sweep:\nby the database, a model or the heuristic. "
                          "Ratios above 1: the "
                          "first is faster.\n") +
              kSweepCodes);
    if (!options.parse(args)) return false;
    check_sweep(o);
    return true;
}

}  // namespace sptune::cli
