// sptune profile MATRIX...
#include "cli/commands.hpp"
#include "cli/db_command.hpp"
#include "cli/describe.hpp"
#include "cli/exit_code.hpp"
#include "cli/kernel_variants.hpp"
#include "cli/matrix_input.hpp"
#include "cli/output.hpp"
#include "cli/product_pair.hpp"
#include "cli/profile_html.hpp"
#include "cli/profile_options.hpp"
#include "cli/profile_report.hpp"
#include "cli/sweep_session.hpp"
#include "cli/worker.hpp"
#include "db/codec.hpp"
#include "tuner/identify.hpp"
#include "tuner/sweep_product.hpp"
#include "tuner/versions.hpp"

#include <algorithm>
#include <csignal>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sptune::cli {
namespace {

class Profiler {
  public:
    Profiler(const ProfileOptions& options, Outputs& outputs)
        : options_(options), session_(options), outputs_(outputs) {
        if (const Worker* worker = Worker::self())
            for (const auto& kept : worker->results()) entries_.push_back(restored(kept));
        if (options.variants != "*")
            require_variants(options.variants, options.op == "spgemm" ? Op::spgemm : Op::spmv,
                             backends_of(options.backend), parse_precision(options.precision));
    }

    int run() {
        return for_each_matrix(options_.matrices, [&](const std::string& path, std::size_t) {
            return with_matrix(path, {parse_precision(options_.precision), options_.threads},
                               [&](const auto& matrix) { return profile(path, matrix.view()); });
        });
    }

    /// Those that could be profiled, in the order of the command line.
    const std::vector<db::Entry>& entries() const { return entries_; }

  private:
    /// What an earlier worker has kept.
    static db::Entry restored(const nlohmann::ordered_json& kept) {
        db::Entry entry = db::entry_from_json(kept["entry"]);
        entry.matrix.path = kept["path"];
        return entry;
    }

    template <class T, class P>
    int profile(const std::string& path, CsrView<T, P> matrix) {
        const Features features = extract_features(matrix, options_.threads);
        if (options_.op == "spgemm") return profile_product(path, matrix, features);
        return for_each_backend(backends_of(options_.backend), [&](Backend backend) {
            return profile(path, matrix, features, {Op::spmv, features.fingerprint, backend},
                           [&](const tuner::SweepOptions& sweep) {
                               return tuner::sweep_spmv(matrix, features, backend, sweep);
                           });
        });
    }

    template <class T, class P>
    int profile_product(const std::string& path, CsrView<T, P> matrix, const Features& features) {
        return with_product(
            matrix, features.fingerprint, options_.threads,
            [&](auto a, auto b, const ProductFeatures& product, double) {
                return for_each_backend(backends_of(options_.backend), [&](Backend backend) {
                    return profile(path, a, features, {Op::spgemm, product.fingerprint, backend},
                                   [&](const tuner::SweepOptions& sweep) {
                                       return tuner::sweep_spgemm(a, b, features, product, backend,
                                                                  sweep);
                                   });
                });
            });
    }

    /// What one sweep is about.
    struct Subject {
        Op op;
        std::uint64_t fingerprint;
        Backend backend;
    };

    template <class T, class P>
    int profile(const std::string& path, CsrView<T, P> matrix, const Features& features,
                const Subject& subject, const SweepSession::Run& run) {
        const std::optional<db::Entry> previous =
            session_.stored(subject.op, value_type_of<T>(), index_type_of<P>(), subject.fingerprint,
                            subject.backend);
        SweepSession::Task task{.path = path, .backend = subject.backend};
        if (previous && !options_.fresh && (options_.resume || !previous->complete) &&
            is_valid(*previous))
            task.resume = &*previous;
        tuner::SweepResult result = session_.sweep(task, run);
        const SweepSession::Saved saved = session_.save(result.entry);
        if (options_.json != "-" && options_.html != "-") {
            const ReportOptions report{row_length_sparkline(matrix, features), options_.calls,
                                       options_.all};
            if (!entries_.empty()) outputs_.text("-", "\n");
            outputs_.text("-", profile_report(result.entry, report, Style(stdout)) + saved.note);
        }
        const int code = session_.judge(result, saved,
                                        hint(previous ? &*previous : nullptr, saved.stored,
                                             result.ended == tuner::Ended::budget));
        if (Worker* worker = Worker::self())
            worker->keep({{"path", path}, {"entry", db::to_json(result.entry)}});
        entries_.push_back(std::move(result.entry));
        return code;
    }

    /// What gets further than a sweep that was cut short.
    const char* hint(const db::Entry* previous, bool stored, bool by_budget) const {
        // Where there is a complete entry, each run begins anew.
        const bool goes_on =
            !options_.no_db && (!previous || !previous->complete || options_.resume);
        if (!goes_on && by_budget) return "a larger --budget gets further";
        if (options_.no_db) return "without a database the next run starts over";
        if (!stored && !(previous && goes_on)) return "the same command starts over";
        if (!goes_on) return "--resume goes on from here";
        return options_.resume || options_.matrices.size() == 1
                   ? "the same command goes on from here"
                   : "the same command with --resume goes on from here";
    }

    /// By --validate, of times to go on from.
    bool is_valid(const db::Entry& previous) const {
        const tuner::Validate validate = tuner::parse_validate(options_.validate);
        if (validate == tuner::Validate::ignore) return true;
        const Backend backend = previous.device.backend == "cuda" ? Backend::cuda : Backend::cpu;
        const bool vendor = std::any_of(
            previous.candidates.begin(), previous.candidates.end(),
            [](const db::Candidate& c) { return c.vendor && c.status == db::Status::ok; });
        const std::string changed =
            tuner::changed_since(previous.device, previous.provenance.vendor_library, vendor,
                                 tuner::identify(backend, options_.threads));
        if (changed.empty()) return true;
        const bool counts = validate == tuner::Validate::warn;
        warn(fmt::format("{}: earlier times were measured with {}; they {}", previous.matrix.name,
                         changed, fate_of_stored(counts)));
        return counts;
    }

    const ProfileOptions& options_;
    SweepSession session_;
    Outputs& outputs_;
    std::vector<db::Entry> entries_;
};

bool is_file(const std::string& target) {
    return !target.empty() && !is_stream(target);
}

}  // namespace

int run_profile(const std::vector<std::string>& args) {
    ProfileOptions options;
    if (!parse_profile(args, options)) return kOk;
    require_outputs({{"--json", options.json}, {"--html", options.html}},
                    files_read(options.matrices, options.db));
    // Who closes the pipe behind stdout early gets the files that were asked for all the same.
    if (is_file(options.json) || is_file(options.html)) std::signal(SIGPIPE, SIG_IGN);
    Outputs outputs;
    Profiler profiler(options, outputs);
    const int code = profiler.run();
    const std::vector<db::Entry>& entries = profiler.entries();
    // Where nothing was measured, what an earlier run has written stays; a pipe gets an empty list.
    const bool several = options.matrices.size() * backends_of(options.backend).size() > 1;
    const bool empty_list = several && is_stream(options.json);
    if (!options.json.empty() && (!entries.empty() || empty_list)) {
        auto documents = nlohmann::ordered_json::array();
        for (const db::Entry& entry : entries) documents.push_back(db::profile_document(entry));
        outputs.json(options.json, several ? documents : documents.front());
    }
    if (!options.html.empty() && !entries.empty())
        outputs.text(options.html, profile_html(entries));
    outputs.finish();
    return code;
}

}  // namespace sptune::cli
