// sptune train --db PATH -o MODEL
#include "cli/commands.hpp"
#include "cli/db_command.hpp"
#include "cli/exit_code.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/stopwatch.hpp"
#include "cli/training_input.hpp"
#include "db/provenance.hpp"
#include "matrix/error.hpp"
#include "matrix/number.hpp"
#include "models/model_file.hpp"
#include "models/sample_file.hpp"
#include "models/shipped.hpp"

#include <filesystem>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sptune::cli {
namespace {

std::string names_of(const std::vector<Variant>& kernels) {
    std::vector<std::string> names;
    for (const Variant& v : kernels) names.push_back(models::short_name(v));
    return fmt::format("{}", fmt::join(names, " "));
}

std::string summary(const models::ModelSet& set) {
    std::string text;
    for (const auto& trees : set.trees()) {
        const auto& parts = trees->parts();
        const std::string whose =
            parts.for_these_alone ? fmt::format(", {} alone", fmt::join(parts.device_keys, ", "))
                                  : "";
        text += fmt::format("{}{}: trees over {} kernels: {}\n", to_string(parts.backend), whose,
                            parts.portfolio.size(), names_of(parts.portfolio));
        for (const models::HitRate& hit : parts.hits)
            text += fmt::format("  {:<9} rightly chosen: {:.0f} %\n", hit.format, 100 * hit.share);
    }
    for (const auto& model : set.products()) {
        const auto& parts = model->parts();
        text += fmt::format("{}: products, trees over {} kernels: {}\n", to_string(parts.backend),
                            parts.portfolio.size(), names_of(parts.portfolio));
    }
    return text;
}

/// Sweeps below which trees hardly have leaves to grow.
constexpr std::size_t kFew = 100;

std::string sweeps(std::size_t count) {
    return with_noun(std::to_string(count), "sweep");
}

/// What --keep names.
models::ModelSet kept(const std::string& name) {
    if (name != "shipped") return models::read_models(name);
    if (!models::shipped_model())
        throw Error("--keep shipped: this build of sptune came without a model");
    return models::models_from_bytes(models::to_bytes(*models::shipped_model()));
}

void require_binary_outputs(const std::vector<Output>& outputs) {
    for (const Output& place : outputs)
        if (is_stream(place.target))
            throw UsageError(
                fmt::format("{} {}: is no file, and what is written there is binary; name a file",
                            place.option, place.target));
}

/// What there is to learn from, of both operations.
std::vector<models::Sample> samples_of(const TrainingInput& input, const std::string& leave_out,
                                       const std::vector<models::Weight>& weights) {
    std::vector<models::Sample> samples = read_training(input, Op::spmv, Repeated::first);
    for (models::Sample& s : read_training(input, Op::spgemm, Repeated::first))
        samples.push_back(std::move(s));
    const std::size_t read = samples.size();
    if (read == 0)
        throw Error(
            fmt::format("{} holds no entries to learn from (what is measured with cold caches "
                        "does not count); `sptune profile` makes some",
                        name_of(input)));
    std::set<std::string> devices;
    for (const models::Sample& s : samples) devices.insert(s.device.key);
    tell_idle_weights(weights, devices);
    if (leave_out.empty()) return samples;
    std::erase_if(samples, [&](const auto& s) { return matches(s.name, leave_out); });
    if (samples.size() == read)
        warn(fmt::format("--leave-out '{}' matches none of {}", leave_out, sweeps(read)));
    if (samples.empty())
        throw Error(
            fmt::format("of {} in {} none is left to learn from: --leave-out '{}' matches "
                        "all of them",
                        sweeps(read), name_of(input), leave_out));
    return samples;
}

models::ModelSet learn(const std::vector<models::Sample>& samples,
                       const models::ModelSet::OptionsOf& options_of) {
    if (samples.size() < kFew)
        warn(
            fmt::format("{}: too few to tell matrices apart, the model will mostly choose what was "
                        "best on the whole; `sptune evaluate` tests how well it does",
                        sweeps(samples.size())));
    ProgressLine line(ProgressLine::Log::minutes);
    models::ModelSet set = models::ModelSet::train(samples, options_of, [&](int done, int of) {
        line.show(fmt::format("learning, {} of {}", done, of), static_cast<double>(done) / of);
    });
    set.training().sptune_version = db::version();
    return set;
}

}  // namespace

int run_train(const std::vector<std::string>& args) {
    TrainingInput input;
    std::string output, pack, keep, leave_out, weigh;
    int trees = 0, depth = 0, portfolio = 0;
    Options options("train", "--db PATH -o MODEL",
                    "Learns from the times in a database which kernel suits which matrix, for "
                    "choosing without measuring.");
    options.text("db", "PATH", input.db, kDbHelp)
        .text("samples", "FILE", input.samples, kSamplesHelp)
        .text("output,o", "FILE", output, "where the model goes")
        .text("pack", "FILE", pack,
              "instead or besides: pack the sweeps, features and times alone, for --samples")
        .text("keep", "MODEL", keep,
              "what this file, or the one that sptune came with (`shipped`), knows of backends "
              "and devices that have no sweeps here stays")
        .text("leave-out", "GLOB", leave_out, "matrices not to learn from, to test with them later")
        .text("weigh", "GLOB=N", weigh, kWeighHelp)
        .integer("trees", "N", trees, 1, 10'000,
                 "trees to grow for SpMV (default: what tested best)")
        .integer("depth", "N", depth, 1, 12, "of a tree for SpMV (default: what tested best)")
        .integer("portfolio", "N", portfolio, 1, 400,
                 "SpMV kernels to choose among, at most, beside plain CSR and the best of each "
                 "format and vendor (default: what tested best)")
        .example("bench/training_set.py --db training")
        .example("sptune train --db training -o model.sptm")
        .example("sptune train --db mine --keep shipped -o model.sptm")
        .example("sptune train --db training --pack mine.spts")
        .example("sptune train --samples mine.spts,theirs.spts -o model.sptm")
        .note(
            "A model holds trees and BestSF for the CPU and for the GPU, and trees for products "
            "where\n"
            "`profile --op spgemm` has measured some, each from the entries that the database has\n"
            "of it. docs/models.md tells how they work.");
    if (!options.parse(args)) return kOk;
    if (output.empty() && pack.empty())
        throw UsageError("-o FILE is missing: where shall the model go?");
    const std::vector<models::Weight> weights = parse_weights(weigh);
    require_binary_outputs({{"-o", output}, {"--pack", pack}});
    require_outputs({{"-o", output}, {"--pack", pack}}, files_of(input));
    const Stopwatch watch;
    const std::vector<models::Sample> samples = samples_of(input, leave_out, weights);
    if (!pack.empty()) {
        models::write_samples(pack, samples);
        warn(fmt::format("{}: {}, {} bytes", pack, sweeps(samples.size()),
                         std::filesystem::file_size(pack)));
    }
    if (output.empty()) return kOk;
    std::optional<models::ModelSet> others;
    if (!keep.empty()) others = kept(keep);
    const auto options_of = [&](Backend backend) {
        models::TreeOptions wanted = models::usual_options(backend);
        wanted.weights = weights;
        if (trees) wanted.forest.trees = trees;
        if (depth) wanted.forest.depth = depth;
        if (portfolio) wanted.portfolio.most = static_cast<std::size_t>(portfolio);
        return wanted;
    };
    models::ModelSet set = learn(samples, options_of);
    if (others) set.complete_from(std::move(*others));
    models::write_models(output, set);
    write_text("-", summary(set));
    std::set<std::string> names;
    for (const models::Sample& s : samples) names.insert(s.name);
    warn(fmt::format("{}: from {} of {}{}, {} bytes, {:.1f} s", output, sweeps(samples.size()),
                     with_noun(std::to_string(names.size()), "matrix", "matrices"),
                     keep.empty() ? "" : " beside what was kept",
                     std::filesystem::file_size(output), watch.seconds()));
    return kOk;
}

}  // namespace sptune::cli
