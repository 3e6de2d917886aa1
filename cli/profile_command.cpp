// sptune profile MATRIX...
#include "cli/commands.hpp"
#include "cli/db_command.hpp"
#include "cli/describe.hpp"
#include "cli/exit_code.hpp"
#include "cli/interrupt.hpp"
#include "cli/matrix_input.hpp"
#include "cli/number.hpp"
#include "cli/output.hpp"
#include "cli/profile_html.hpp"
#include "cli/profile_options.hpp"
#include "cli/profile_report.hpp"
#include "cli/version.hpp"
#include "db/codec.hpp"
#include "db/store.hpp"
#include "kernels/registry.hpp"
#include "tuner/bandwidth.hpp"
#include "tuner/sweep.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sptune::cli {
namespace {

/// Does `stored` know a time that `fresh` does not, as after a stopped or restricted sweep?
bool knows_more(const db::Entry& stored, const db::Entry& fresh) {
    if (stored.complete && !fresh.complete) return true;
    return std::any_of(stored.candidates.begin(), stored.candidates.end(), [&](auto& candidate) {
        const db::Candidate* now = db::find(fresh, candidate.id);
        return candidate.status == db::Status::ok &&
               (!now || now->status == db::Status::not_reached);
    });
}

class Profiler {
  public:
    explicit Profiler(const ProfileOptions& options) : options_(options) {
        if (!options.no_db) store_.emplace(open_db(options.db));
    }

    int run() {
        int code = kOk;
        for (const std::string& path : options_.matrices) {
            const int now = profile(path);
            if (code == kOk) code = now;
            if (now == kInterrupted) return kInterrupted;
        }
        return code;
    }

    /// Those that could be profiled, in the order of the command line.
    const std::vector<db::Entry>& entries() const { return entries_; }

  private:
    int profile(const std::string& path) {
        try {
            return with_matrix(path, {parse_precision(options_.precision), options_.threads},
                               [&](const auto& matrix) { return sweep(path, matrix.view()); });
        } catch (const std::bad_alloc&) {
            warn(path + ": not enough memory");
            return kFailure;
        } catch (const InputError& failure) {  // names the file itself
            warn(failure.what());
            return kRefused;
        } catch (const std::exception& failure) {
            warn(path + ": " + failure.what());
            return exit_code_of(failure);
        }
    }

    template <class T, class P>
    int sweep(const std::string& path, CsrView<T, P> matrix) {
        const Features features = extract_features(matrix, options_.threads);
        int code = kOk;
        for (const Backend backend : backends_of(options_.backend)) {
            const int now = sweep(path, matrix, features, backend);
            if (code == kOk) code = now;
            if (now == kInterrupted) return kInterrupted;
        }
        return code;
    }

    template <class T, class P>
    int sweep(const std::string& path, CsrView<T, P> matrix, const Features& features,
              Backend backend) {
        const std::optional<db::Entry> previous = find_previous(matrix, features, backend);
        tuner::SweepResult result = sweep(matrix, features, backend, previous);
        db::Entry& entry = result.entry;
        entry.matrix.name = matrix_name(path);
        entry.matrix.path = path;
        entry.provenance.sptune_version = version();
        entry.provenance.compiler = compiler();
        entry.provenance.created_utc = db::utc_time();
        const std::string stored = save(entry);
        if (options_.json != "-") {
            const ReportOptions report{row_length_sparkline(matrix, features), options_.calls,
                                       options_.all};
            if (reported_++) write_text("-", "\n");
            write_text("-", profile_report(entry, report, Style(stdout)) + stored);
        }
        const int code = judge(result);
        entries_.push_back(std::move(entry));
        return code;
    }

    /// What an earlier run stored for this matrix and device, where it may be taken over.
    template <class T, class P>
    std::optional<db::Entry> find_previous(CsrView<T, P>, const Features& features,
                                           Backend backend) const {
        if (!store_) return std::nullopt;
        return store_->load(tuner::device_of(backend, options_.threads).key,
                            db::entry_key(Op::spmv, value_type_of<T>(), index_type_of<P>(),
                                          features.fingerprint, options_.cache));
    }

    template <class T, class P>
    tuner::SweepResult sweep(CsrView<T, P> matrix, const Features& features, Backend backend,
                             const std::optional<db::Entry>& previous) {
        ProgressLine line;
        tuner::SweepOptions sweep;
        sweep.cache = options_.cache == "cold" ? tuner::Cache::cold : tuner::Cache::warm;
        sweep.variants = options_.variants;
        sweep.threads = options_.threads;
        sweep.budget_s = options_.budget_s;
        sweep.seed = options_.seed;
        sweep.stop = &InterruptGuard::flag();
        if (previous && !options_.fresh && (options_.resume || !previous->complete))
            sweep.resume = &*previous;
        sweep.progress = [&](const tuner::Progress& p) {
            const std::string best = p.best_us > 0 ? "best " + duration_us(p.best_us) : "";
            line.show(p.stage, p.total ? static_cast<double>(p.done) / p.total : 0, best, p.eta_s);
        };
        const InterruptGuard guard;
        return tuner::sweep_spmv(matrix, features, backend, sweep);
    }

    /// Stores the entry; the last line of the report says where.
    std::string save(const db::Entry& entry) {
        store_failed_ = false;
        if (!store_) return "";
        try {
            const auto stored = store_->load(entry.device.key, db::entry_key(entry));
            const bool keep = stored && !options_.fresh && knows_more(*stored, entry);
            if (!keep) store_->save(entry);
            return fmt::format(
                "{} {}\n",
                keep ? "Not stored: the entry of an earlier run knows more:" : "Stored in",
                (store_->path() / entry.device.key / db::entry_key(entry)).string() + ".json");
        } catch (const std::exception& failure) {
            warn(fmt::format("not stored: {}", failure.what()));
            store_failed_ = true;
            return "";
        }
    }

    int judge(const tuner::SweepResult& result) const {
        const db::Entry& entry = result.entry;
        int wrong = 0, left = 0;
        for (const db::Candidate& candidate : entry.candidates) {
            left += candidate.status == db::Status::not_reached;
            if (candidate.status != db::Status::incorrect) continue;
            ++wrong;
            warn(fmt::format("{}: {} is wrong: {}", entry.matrix.name, candidate.id,
                             candidate.reason));
        }
        const std::string rest =
            fmt::format("{} kernels were not reached; the same command goes on from here", left);
        if (result.ended == tuner::Ended::interrupted) {
            warn(entry.matrix.name + ": interrupted; " + rest);
            return kInterrupted;
        }
        if (wrong || entry.winner.empty()) return kUnverified;
        if (store_failed_) return kFailure;
        if (result.ended == tuner::Ended::budget) {
            warn(entry.matrix.name + ": stopped by the budget; " + rest);
            return kBudget;
        }
        return kOk;
    }

    const ProfileOptions& options_;
    std::optional<db::Store> store_;
    std::vector<db::Entry> entries_;
    int reported_ = 0;
    bool store_failed_ = false;
};

}  // namespace

int run_profile(const std::vector<std::string>& args) {
    ProfileOptions options;
    if (!parse_profile(args, options)) return kOk;
    if (!options.mkl.empty()) set_mkl_path(options.mkl);
    Profiler profiler(options);
    const int code = profiler.run();
    const std::vector<db::Entry>& entries = profiler.entries();
    if (!options.json.empty()) {
        auto documents = nlohmann::ordered_json::array();
        for (const db::Entry& entry : entries) documents.push_back(db::profile_document(entry));
        if (options.matrices.size() * backends_of(options.backend).size() > 1)
            write_json(options.json, documents);
        else if (!documents.empty())
            write_json(options.json, documents.front());
    }
    if (!options.html.empty()) write_text(options.html, profile_html(entries));
    return code;
}

}  // namespace sptune::cli
