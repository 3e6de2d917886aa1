// sptune convert IN OUT
#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/matrix_input.hpp"
#include "cli/matrix_output.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/stopwatch.hpp"
#include "matrix/error.hpp"

#include <filesystem>

namespace sptune::cli {

int run_convert(const std::vector<std::string>& args) {
    std::vector<std::string> files;
    std::string precision = "f64";
    int threads = 0;
    Options options("convert", "IN OUT",
                    "Rewrites a matrix as .mtx, .mtx.gz or .spt, sptune's own checksummed binary, "
                    "which loads many times faster than text.");
    options.operands(files, 2, 2)
        .choice("precision", {"f32", "f64"}, precision, "type of the values written (f64)")
        .integer("threads", "N", threads, 0, 4096, "threads to use (0: all)")
        .example("sptune convert matrix.mtx matrix.spt")
        .example("sptune convert matrix.spt matrix.mtx.gz");
    if (!options.parse(args)) return kOk;
    const std::string &in = files[0], &out = files[1];
    output_format(out);  // refuses an unknown ending before the work
    std::error_code failure;
    if (std::filesystem::equivalent(in, out, failure))
        throw UsageError(in + " and " + out + " are the same file");

    const Stopwatch watch;
    return with_matrix(in, {parse_precision(precision), threads}, [&](const auto& matrix) {
        write_matrix(out, matrix.view(), "converted by sptune");
        warn(written_summary(out, matrix.rows, matrix.cols, matrix.nnz(), watch.seconds()));
        return kOk;
    });
}

}  // namespace sptune::cli
