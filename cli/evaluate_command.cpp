// sptune evaluate --db PATH
#include "cli/commands.hpp"
#include "cli/db_command.hpp"
#include "cli/evaluate_report.hpp"
#include "cli/exit_code.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/training_input.hpp"
#include "matrix/error.hpp"
#include "matrix/number.hpp"
#include "models/evaluate.hpp"
#include "models/model_file.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace sptune::cli {
namespace {

/// A model knows the answers of its own training set. Whether it has nothing but those to be tested
/// with, which are then left.
bool leave_out_known(std::vector<models::Sample>& samples, const models::ModelSet& model) {
    const std::size_t before = samples.size();
    const auto is_known = [&](const models::Sample& s) { return model.training().knows(s); };
    if (before > 0 && std::all_of(samples.begin(), samples.end(), is_known)) {
        warn(
            "the model has learned from all of these matrices: the figures say how well it knows "
            "them, not how well it chooses for others");
        return true;
    }
    std::erase_if(samples, is_known);
    if (samples.size() < before)
        warn(fmt::format("{} of {} sweeps are of matrices that the model has seen; left out",
                         before - samples.size(), before));
    return false;
}

std::vector<const models::ProductModel*> products_of(const models::ModelSet& set,
                                                     const std::string& side) {
    std::vector<const models::ProductModel*> list;
    for (const auto& model : set.products())
        if (to_string(model->parts().backend) == side) list.push_back(model.get());
    return list;
}

}  // namespace

int run_evaluate(const std::vector<std::string>& args) {
    TrainingInput input;
    std::string model_file, hold_out, weigh, op_name = "spmv", backend = "all", precision = "all",
                                             json;
    int folds = 0;
    double calls = 0;
    Options options("evaluate", "--db PATH",
                    "Tests how well models choose kernels for matrices they were not trained on, "
                    "against the times in a database.");
    options.text("db", "PATH", input.db, kDbHelp)
        .text("samples", "FILE", input.samples, kSamplesHelp)
        .integer("folds", "K", folds, 2, 1000,
                 "train on all but one part of K, test that part, in turn; matrices of a family "
                 "stay together (10)")
        .text("hold-out", "GLOB", hold_out,
              "instead: test the matrices whose names match, train on all others")
        .text("weigh", "GLOB=N", weigh, kWeighHelp)
        .text("model", "FILE", model_file,
              "instead: test this model on all matrices that it was not trained on, or, where "
              "there are no others, on those")
        .number("calls", "N", calls, 0, 1e15,
                "spread conversion over N calls (0: conversion does not count)")
        .choice("op", {"spmv", "spgemm"}, op_name, "y = αAx, or C = A·B (spmv)")
        .choice("backend", {"cpu", "cuda", "all"}, backend, "entries of which device (all)")
        .choice("precision", {"f32", "f64", "all"}, precision, "(all)")
        .text("json", "FILE|-", json, "write the result; - prints it alone on stdout")
        .example("sptune evaluate --db training")
        .example("sptune evaluate --db other --model model.sptm")
        .example("sptune evaluate --db training --op spgemm")
        .example("sptune evaluate --db training --hold-out 'bcsstk*,road*' --calls 500 --json -")
        .note(
            "Regret: how much longer the chosen kernel takes than the fastest measured one.\n"
            "Without luck: of matrices that were swept twice on a device, the other sweep says\n"
            "which kernel is the fastest, and this one times it.\n"
            "< CSR: share of choices that are slower than plain CSR (of products: than plain\n"
            "Gustavson, on a GPU expand-sort-compress).\n"
            "\"tried\": what a plan ends up with that has calls enough to try what else may be\n"
            "the fastest. Families: what stands before \"--\" in a matrix's name, else the\n"
            "letters that it begins with, if at least two. Where all are of one family each\n"
            "matrix stands for itself.");
    if (!options.parse(args)) return kOk;
    if (!hold_out.empty() && (folds > 0 || !model_file.empty()))
        throw UsageError("--hold-out is another way to test than --folds and --model; name one");
    if (!weigh.empty() && !model_file.empty())
        throw UsageError("--weigh is about training, and --model is trained; leave one out");
    if (!weigh.empty() && op_name == "spgemm")
        throw UsageError("--weigh is of SpMV; of products every sweep counts once");
    if (folds > 0 && !model_file.empty())
        warn("--folds is about training, and --model is trained: it is tested as a whole");
    const std::vector<models::Weight> weights = parse_weights(weigh);
    std::vector<std::string> inputs = files_of(input);
    inputs.push_back(model_file);
    require_outputs({{"--json", json}}, inputs);
    const Op op = op_name == "spmv" ? Op::spmv : Op::spgemm;
    if (op == Op::spgemm) require_single(input);
    std::optional<models::ModelSet> model;
    if (!model_file.empty()) model = models::read_models(model_file);
    auto documents = nlohmann::ordered_json::array();
    std::string text;
    std::size_t read = 0;
    std::vector<std::string> left_out;
    std::map<std::string, std::vector<models::Sample>> sides;
    std::set<std::string> devices;
    for (const std::string side : {"cpu", "cuda"}) {
        if (backend != "all" && backend != side) continue;
        for (const models::Sample& s : sides[side] = read_training(input, op, Repeated::all, side))
            devices.insert(s.device.key), ++read;
    }
    if (read > 0) tell_idle_weights(weights, devices);
    for (auto& [side, samples] : sides) {
        if (precision != "all")
            std::erase_if(samples, [&](const auto& s) { return to_string(s.value) != precision; });
        const bool all_known = model && leave_out_known(samples, *model);
        if (samples.empty()) continue;
        models::EvaluateOptions wanted;
        wanted.folds = folds > 0 ? folds : 10, wanted.hold_out = hold_out, wanted.calls = calls;
        wanted.trees = models::usual_options(side == "cuda" ? Backend::cuda : Backend::cpu);
        wanted.trees->weights = weights;
        if (model && op == Op::spmv) wanted.given = model->predictors(side);
        if (model && op == Op::spgemm) wanted.given_products = products_of(*model, side);
        if (model && wanted.given.empty() && wanted.given_products.empty()) {
            warn(fmt::format("{} knows nothing of {} on {}; left out", model_file, op_name, side));
            continue;
        }
        models::Evaluation result;
        ProgressLine line(ProgressLine::Log::minutes);
        wanted.progress = [&](int done, int of) {
            line.show(fmt::format("{} {}, {} of {} folds", op_name, side, done, of),
                      static_cast<double>(done) / of);
        };
        try {
            result = models::evaluate(samples, wanted);
        } catch (const models::NothingToTest& e) {
            left_out.push_back(fmt::format("{}: {}", side, e.what()));
            continue;
        }
        if (all_known) result.protocol += ", which it was trained on";
        documents.push_back(evaluate_document(result, side, op, calls));
        text += (text.empty() ? "" : "\n") + evaluate_report(result, side, op);
    }
    if (documents.empty() && !left_out.empty())
        throw Error(fmt::format("{}", fmt::join(left_out, "; ")));
    for (const std::string& reason : left_out) warn("left out, " + reason);
    if (documents.empty() && read > 0)
        throw Error(
            fmt::format("of {} in {} none is left to test with: --precision or --model "
                        "leaves them out",
                        with_noun(std::to_string(read), "sweep"), name_of(input)));
    if (documents.empty())
        throw Error(
            fmt::format("{} holds no {} entries{} to test with (what is measured with cold caches "
                        "does not count); "
                        "`sptune profile{}` makes some",
                        name_of(input), op == Op::spmv ? "SpMV" : "SpGEMM",
                        backend == "all" ? "" : " of --backend " + backend,
                        op == Op::spmv ? "" : " --op spgemm"));
    Outputs outputs;
    if (!json.empty()) outputs.json(json, documents.size() == 1 ? documents.front() : documents);
    if (json != "-") outputs.text("-", text);
    outputs.finish();
    return kOk;
}

}  // namespace sptune::cli
