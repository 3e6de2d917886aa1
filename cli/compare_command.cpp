// sptune compare MATRIX...
#include "cli/commands.hpp"
#include "cli/compare_options.hpp"
#include "cli/compare_report.hpp"
#include "cli/comparison.hpp"
#include "cli/db_command.hpp"
#include "cli/exit_code.hpp"
#include "cli/matrix_input.hpp"
#include "cli/output.hpp"
#include "cli/product_pair.hpp"
#include "cli/steady_choice.hpp"
#include "cli/sweep_session.hpp"
#include "cli/worker.hpp"
#include "db/codec.hpp"
#include "tuner/default_models.hpp"
#include "tuner/mode.hpp"
#include "tuner/select.hpp"
#include "tuner/select_product.hpp"
#include "tuner/sweep_product.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sptune::cli {
namespace {

/// The results of one device.
struct Side {
    Backend backend;
    db::Device device;
    std::vector<Comparison> comparisons;
};

class Comparer {
  public:
    explicit Comparer(const CompareOptions& options) : options_(options), session_(options) {
        for (const Backend backend : backends_of(options.backend))
            sides_.push_back({backend, {}, {}});
        if (const Worker* worker = Worker::self())
            for (const auto& kept : worker->results()) restore(kept);
    }

    int run() {
        return for_each_matrix(options_.matrices, [&](const std::string& path, std::size_t number) {
            number_ = number;
            return with_matrix(path, {parse_precision(options_.precision), options_.threads},
                               [&](const auto& matrix) { return compare_on(path, matrix.view()); });
        });
    }

    /// One for each backend, in the order of backends_of().
    const std::vector<Side>& sides() const { return sides_; }

  private:
    template <class T, class P>
    int compare_on(const std::string& path, CsrView<T, P> matrix) {
        const Features features = extract_features(matrix, options_.threads);
        if (options_.op == "spgemm") return compare_products(path, matrix, features);
        return for_each_backend(backends_of(options_.backend), [&](Backend backend) {
            return compare_on(path, side_of(backend), choose(matrix, backend),
                              [&](const tuner::SweepOptions& sweep) {
                                  return tuner::sweep_spmv(matrix, features, backend, sweep);
                              });
        });
    }

    template <class T, class P>
    int compare_products(const std::string& path, CsrView<T, P> matrix, const Features& features) {
        return with_product(
            matrix, features.fingerprint, options_.threads,
            [&](auto a, auto b, const ProductFeatures& product, double features_us) {
                return for_each_backend(backends_of(options_.backend), [&](Backend backend) {
                    return compare_on(
                        path, side_of(backend), choose_product(a, product, features_us, backend),
                        [&](const tuner::SweepOptions& sweep) {
                            return tuner::sweep_spgemm(a, b, features, product, backend, sweep);
                        });
                });
            });
    }

    int compare_on(const std::string& path, Side& side, const AutoChoice& choice,
                   const SweepSession::Run& run) {
        side.device = tuner::device_of(side.backend, options_.threads);
        const SweepSession::Task task{.path = path,
                                      .backend = side.backend,
                                      .prefix = prefix(path, side.backend),
                                      .guest = choice.id};
        const tuner::SweepResult result = session_.sweep(task, run);
        const SweepSession::Saved saved = session_.save(result.entry);
        // Ctrl-C may come before anything but the baseline was measured; a budget is the user's own
        // idea of enough.
        const bool interrupted = result.ended == tuner::Ended::interrupted;
        const int code = session_.judge(
            result, saved,
            interrupted ? "the matrix is left out" : "the oracle is the best of the others");
        if (interrupted) return code;
        side.comparisons.push_back(compare(result.entry, result.used_cols, choice));
        if (Worker* worker = Worker::self())
            worker->keep(kept(result, choice, side.comparisons.back().regret));
        return code;
    }

    /// All that compare() needs.
    static nlohmann::ordered_json kept(const tuner::SweepResult& result, const AutoChoice& choice,
                                       const std::optional<double>& regret) {
        db::Entry entry = result.entry;
        std::erase_if(entry.candidates, [&](const db::Candidate& c) {
            return !c.vendor && c.id != entry.baseline && c.id != entry.winner && c.id != choice.id;
        });
        return {{"entry", db::to_json(entry)},
                {"used_cols", result.used_cols},
                {"choice", {choice.id, choice.select_us, choice.source}},
                {"regret", regret ? nlohmann::ordered_json(*regret) : nullptr}};
    }

    /// What an earlier worker has kept.
    void restore(const nlohmann::ordered_json& kept) {
        const db::Entry entry = db::entry_from_json(kept["entry"]);
        const auto& choice = kept["choice"];
        Side& side = side_of(entry.device.backend == "cuda" ? Backend::cuda : Backend::cpu);
        side.device = entry.device;
        Comparison c = compare(entry, kept["used_cols"], {choice[0], choice[1], choice[2]});
        c.regret.reset();  // it takes all candidates
        if (!kept["regret"].is_null()) c.regret = kept["regret"];
        side.comparisons.push_back(std::move(c));
    }

    // What a program would get that asks the library, before anything of this sweep is known.

    template <class T, class P>
    AutoChoice choose(CsrView<T, P> matrix, Backend backend) const {
        constexpr double kManyCalls = 1e6;  // single calls are compared, conversions shown beside
        tuner::SelectOptions options;
        options.calls = kManyCalls;
        options.threads = options_.threads;
        options.databases = session_.databases();
        options.validate = tuner::parse_validate(options_.validate);
        const tuner::Selection s = steady_choice(matrix, backend, options).selection;
        return {s.chosen.id, s.select_us, std::string(to_string(s.source))};
    }

    /// The features of the pair count as part of the choice.
    template <class T, class P>
    AutoChoice choose_product(CsrView<T, P>, const ProductFeatures& product, double features_us,
                              Backend backend) const {
        const Stopwatch watch;
        const tuner::ProductSelection s = tuner::select_product<T, P>(
            product, backend, session_.databases().get(), tuner::default_product_model,
            options_.threads, tuner::parse_validate(options_.validate));
        const char* const source = s.source == "database" ? "exact"
                                   : s.source == "model"  ? "model"
                                                          : "heuristic";
        return {s.id, features_us + watch.seconds() * 1e6, source};
    }

    /// "2/5 fem: ", with the backend where there are two.
    std::string prefix(const std::string& path, Backend backend) const {
        return fmt::format("{}/{} {}{}: ", number_, options_.matrices.size(), matrix_name(path),
                           sides_.size() > 1 ? fmt::format(" ({})", to_string(backend)) : "");
    }

    Side& side_of(Backend backend) {
        return *std::find_if(sides_.begin(), sides_.end(),
                             [&](const Side& side) { return side.backend == backend; });
    }

    const CompareOptions& options_;
    SweepSession session_;
    std::vector<Side> sides_;
    std::size_t number_ = 0;  ///< of the present matrix
};

}  // namespace

int run_compare(const std::vector<std::string>& args) {
    CompareOptions options;
    if (!parse_compare(args, options)) return kOk;
    require_outputs({{"--json", options.json}}, files_read(options.matrices, options.db));
    const bool off = tuner::mode() == tuner::Mode::off;
    Comparer comparer(options);
    const int code = comparer.run();
    if (off)
        warn(
            "SPTUNE_MODE is off, so that programs get plain CSR; auto is what they would get "
            "without");
    auto documents = nlohmann::ordered_json::array();
    std::string report;
    for (const Side& side : comparer.sides()) {
        if (side.comparisons.empty()) continue;
        documents.push_back(compare_document(side.device, options.cache, side.comparisons,
                                             options.matrices.size()));
        if (!report.empty()) report += "\n";
        report += compare_report(side.device, options.cache, side.comparisons, Style(stdout));
    }
    Outputs outputs;
    if (!options.json.empty() && !documents.empty())
        outputs.json(options.json, comparer.sides().size() > 1 ? documents : documents.front());
    if (options.json != "-") outputs.text("-", report);
    outputs.finish();
    return code;
}

}  // namespace sptune::cli
