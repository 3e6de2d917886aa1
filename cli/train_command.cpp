// sptune train --db PATH -o MODEL
#include "cli/commands.hpp"
#include "cli/db_command.hpp"
#include "cli/exit_code.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/stopwatch.hpp"
#include "cli/version.hpp"
#include "matrix/error.hpp"
#include "models/model_file.hpp"

#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sptune::cli {
namespace {

std::string summary(const models::ModelSet& set) {
    std::string text;
    for (const auto& trees : set.trees()) {
        const auto& parts = trees->parts();
        std::vector<std::string> names;
        for (const Variant& v : parts.portfolio) names.push_back(models::short_name(v));
        text += fmt::format("{}: trees over {} kernels: {}\n", to_string(parts.backend),
                            names.size(), fmt::join(names, " "));
        for (const models::HitRate& hit : parts.hits)
            text += fmt::format("  {:<9} rightly chosen: {:.0f} %\n", hit.format, 100 * hit.share);
    }
    return text;
}

}  // namespace

int run_train(const std::vector<std::string>& args) {
    std::string db, output, leave_out;
    int trees = 0, depth = 0, portfolio = 0;
    std::vector<std::string> none;
    Options options("train", "--db PATH -o MODEL",
                    "Learns from the times in a database which kernel suits which matrix, for "
                    "choosing without measuring.");
    options.operands(none, 0, 0)
        .text("db", "PATH", db, kDbHelp)
        .text("output,o", "FILE", output, "where the model goes")
        .text("leave-out", "GLOB", leave_out, "matrices not to learn from, to test with them later")
        .integer("trees", "N", trees, 1, 10'000, "trees to grow (default: what tested best)")
        .integer("depth", "N", depth, 1, 12, "of a tree (default: what tested best)")
        .integer("portfolio", "N", portfolio, 1, 400,
                 "kernels to choose among, at most (default: what tested best)")
        .example("bench/training_set.py --db training")
        .example("sptune train --db training -o model.sptm")
        .example("sptune evaluate --db training")
        .note(
            "A model holds trees and BestSF for the CPU and for the GPU, each from the entries "
            "that the "
            "database\nhas of it. docs/models.md tells how they work.");
    if (!options.parse(args)) return kOk;
    if (output.empty()) throw UsageError("-o FILE is missing: where shall the model go?");
    const Stopwatch watch;
    const db::Store store = open_existing_db(db);
    std::vector<models::Sample> samples = models::read_samples(store);
    if (!leave_out.empty())
        std::erase_if(samples, [&](const auto& s) { return matches(s.name, leave_out); });
    if (samples.empty())
        throw Error(
            fmt::format("{} holds no SpMV entries to learn from; `sptune profile` makes some",
                        store.path().string()));
    models::ModelSet set = models::ModelSet::train(samples, [&](Backend backend) {
        models::TreeOptions wanted = models::usual_options(backend);
        if (trees) wanted.forest.trees = trees;
        if (depth) wanted.forest.depth = depth;
        if (portfolio) wanted.portfolio.most = static_cast<std::size_t>(portfolio);
        return wanted;
    });
    set.training().sptune_version = version();
    models::write_models(output, set);
    write_text("-", summary(set));
    warn(fmt::format("{}: from {} sweeps of {} matrices, {} bytes, {:.1f} s", output,
                     set.training().samples, set.training().matrices.size(),
                     std::filesystem::file_size(output), watch.seconds()));
    return kOk;
}

}  // namespace sptune::cli
