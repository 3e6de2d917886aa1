// sptune convert IN OUT
#include "cli/block_input.hpp"
#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/matrix_input.hpp"
#include "cli/matrix_output.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/stopwatch.hpp"
#include "matrix/error.hpp"
#include "matrix/number.hpp"

#include <fmt/format.h>

namespace sptune::cli {

int run_convert(const std::vector<std::string>& args) {
    std::vector<std::string> files;
    std::string precision = "f64";
    int threads = 0, block_size = 0;
    Options options("convert", "IN OUT",
                    "Rewrites a matrix as .mtx, .mtx.gz, .spt (sptune's own checksummed binary, "
                    "which loads many times faster than text) or .bsm (blocks as text).");
    options.operands(files, 2, 2)
        .choice("precision", {"f32", "f64", "u32"}, precision,
                "type of the values written (f64); u32: of blocks, whose sums saturate")
        .integer("blocks", "M", block_size, 1, 32, "for .bsm: cut the matrix into M × M blocks")
        .integer("threads", "N", threads, 0, 4096, "threads to use (0: all)")
        .example("sptune convert matrix.mtx matrix.spt")
        .example("sptune convert matrix.spt matrix.mtx.gz")
        .example("sptune convert fem.mtx fem.bsm --blocks 4")
        .example("sptune convert counts.mtx counts.bsm --blocks 8 --precision u32")
        .example("sptune convert fem.bsm fem.mtx");
    if (!options.parse(args)) return kOk;
    const std::string &in = files[0], &out = files[1];
    output_format(out);  // refuses an unknown ending before the work
    require_outputs({{"OUT", out}}, {in});

    if (output_format(out) == MatrixFormat::blocks) {
        const Stopwatch watch;
        return with_block_type(parse_block_type(precision), [&]<class V>(V) {
            const BlockCsr<V> blocks = load_blocks<V>(in, {block_size, threads});
            write_blocks(out, blocks, "converted by sptune");
            warn(fmt::format(
                "{}, {} of {} × {}",
                written_summary(out, blocks.rows, blocks.cols,
                                static_cast<std::int64_t>(blocks.values.size()), watch.seconds()),
                with_noun(count(blocks.blocks()), "block"), blocks.m, blocks.m));
            return kOk;
        });
    }
    if (block_size || precision == "u32")
        throw UsageError("--blocks and u32 are for block files; name the output .bsm");
    const Stopwatch watch;
    return with_matrix(in, {parse_precision(precision), threads}, [&](const auto& matrix) {
        write_matrix(out, matrix.view(), {"converted by sptune", threads});
        warn(written_summary(out, matrix.rows, matrix.cols, matrix.nnz(), watch.seconds()));
        return kOk;
    });
}

}  // namespace sptune::cli
