#include "cli/sweep_session.hpp"

#include "cli/db_command.hpp"
#include "cli/exit_code.hpp"
#include "cli/interrupt.hpp"
#include "cli/kernel_variants.hpp"
#include "cli/matrix_input.hpp"
#include "cli/output.hpp"
#include "cli/remains.hpp"
#include "cli/worker.hpp"
#include "db/provenance.hpp"
#include "matrix/error.hpp"
#include "matrix/number.hpp"
#include "tuner/identify.hpp"
#include "tuner/join.hpp"

#include <fmt/format.h>

namespace sptune::cli {
namespace {

int guarded(const std::string& path, const std::function<int()>& work) {
    try {
        return work();
    } catch (const std::bad_alloc&) {
        warn(path + ": not enough memory");
        return kFailure;
    } catch (const InputError& failure) {  // names the file itself
        warn(failure.what());
        return kRefused;
    } catch (const std::exception& failure) {
        const std::string text = failure.what();
        warn(text.starts_with(path + ": ") ? text : path + ": " + text);
        return exit_code_of(failure);
    }
}

/// Calls work(0), … until one is interrupted; the first code that is not 0.
template <class Work>
int first_failure(std::size_t count, Work work) {
    int code = kOk;
    for (std::size_t i = 0; i < count; ++i) {
        const int now = Worker::step(i, [&] { return work(i); });
        if (InterruptGuard::flag()) return InterruptGuard::exit_code();
        if (is_interrupted(now)) return now;  // an earlier worker was
        if (code == kOk) code = now;
    }
    return code;
}

}  // namespace

int for_each_matrix(const std::vector<std::string>& paths,
                    const std::function<int(const std::string&, std::size_t)>& work) {
    return first_failure(paths.size(), [&](std::size_t i) {
        return guarded(paths[i], [&] { return work(paths[i], i + 1); });
    });
}

int for_each_backend(const std::vector<Backend>& backends,
                     const std::function<int(Backend)>& work) {
    return first_failure(backends.size(), [&](std::size_t i) { return work(backends[i]); });
}

SweepSession::SweepSession(const SweepRequest& request) : request_(request) {
    use_mkl(request.mkl);
    if (request.no_db) return;
    store_.emplace(ResultPlace{request.db, request.fresh});
    databases_ = open_databases(request.db);
}

tuner::SweepResult SweepSession::sweep(const Task& task, const Run& run) {
    ProgressLine line;
    tuner::SweepOptions sweep;
    sweep.cache = request_.cache == "cold" ? tuner::Cache::cold : tuner::Cache::warm;
    sweep.variants = request_.variants;
    sweep.guest = task.guest;
    sweep.threads = request_.threads;
    sweep.budget_s = request_.budget_s;
    sweep.seed = request_.seed;
    sweep.stop = &InterruptGuard::flag();
    sweep.resume = task.resume;
    sweep.progress = [&](const tuner::Progress& p) {
        const std::string best = p.best_us > 0 ? "best " + duration_us(p.best_us) : "";
        line.show(task.prefix + p.stage, p.total ? static_cast<double>(p.done) / p.total : 0, best,
                  p.eta_s);
    };
    const InterruptGuard guard;
    const auto sign = [&](db::Entry& entry) {
        entry.matrix.name = matrix_name(task.path);
        entry.matrix.path = task.path;
        db::sign(entry.provenance);
    };
    std::optional<ResultPlace> place;
    if (store_) place = {request_.db, request_.fresh};
    tuner::SweepResult result = Worker::sweep(
        sweep, run, [&](db::Entry blank) { return sign(blank), head_of(blank, place); });
    sign(result.entry);
    return result;
}

std::optional<db::Entry> SweepSession::stored(Op op, ValueType value, IndexType index,
                                              std::uint64_t fingerprint, Backend backend) const {
    if (!store_) return std::nullopt;
    return store_->db().load(tuner::identify(backend, request_.threads).key,
                             db::entry_key(op, value, index, fingerprint, request_.cache));
}

SweepSession::Saved SweepSession::save(const db::Entry& entry) const {
    if (!store_) return {};
    return store_->save(entry, [&](db::Entry& stored) {
        const Backend backend = entry.device.backend == "cuda" ? Backend::cuda : Backend::cpu;
        tuner::drop_changed(stored, variants_of(entry.op, backend, entry.value, entry.index));
    });
}

int SweepSession::judge(const tuner::SweepResult& result, const Saved& saved,
                        const std::string& left_hint) const {
    const db::Entry& entry = result.entry;
    int wrong = 0, left = 0;
    for (const db::Candidate& candidate : entry.candidates) {
        left += candidate.status == db::Status::not_reached;
        if (candidate.status != db::Status::incorrect) continue;
        ++wrong;
        warn(fmt::format("{}: {} is wrong: {}", entry.matrix.name, candidate.id, candidate.reason));
    }
    if (result.repeated)
        warn(fmt::format("{}: {} taken again, since {}", entry.matrix.name,
                         with_noun(std::to_string(result.repeated), "sample"),
                         entry.device.backend == "cuda" ? "the GPU's clock had dropped"
                                                        : "a core was busy with something else"));
    if (result.cores_busy)
        warn(entry.matrix.name +
             ": a core remained busy, so that times may be too long; "
             "`sptune profile --fresh` measures again");
    const std::string rest =
        fmt::format("{}; {}",
                    left ? with_noun(std::to_string(left), "kernel") + " not reached"
                         : "all kernels were reached, but their final comparison was cut short",
                    request_.fresh ? "--fresh starts over each time" : left_hint);
    if (result.ended == tuner::Ended::interrupted) {
        warn(entry.matrix.name + ": interrupted; " + rest);
        return InterruptGuard::exit_code();
    }
    if (wrong) return kUnverified;
    if (entry.winner.empty()) {
        const db::Candidate* baseline = db::find(entry, entry.baseline);
        warn(fmt::format("{}: no kernel could be measured{}", entry.matrix.name,
                         baseline ? "; the baseline: " + baseline->reason : ""));
        return kFailure;
    }
    if (saved.failed) return kFailure;
    if (result.ended == tuner::Ended::budget) {
        warn(entry.matrix.name + ": stopped by the budget; " + rest);
        return kBudget;
    }
    return kOk;
}

}  // namespace sptune::cli
