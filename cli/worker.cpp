#include "cli/worker.hpp"

#include "cli/fault.hpp"
#include "cli/interrupt.hpp"
#include "db/codec.hpp"
#include "matrix/error.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace sptune::cli {
namespace {

std::unique_ptr<Worker> worker;

double now_s() {
    return tuner::steady_us() / 1e6;
}

/// Leaves the step again, whatever is thrown.
class Inside {
  public:
    Inside(std::vector<std::size_t>& path, std::size_t index) : path_(path) {
        path.push_back(index);
    }
    ~Inside() { path_.pop_back(); }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

  private:
    std::vector<std::size_t>& path_;
};

}  // namespace

Worker* Worker::self() {
    return worker.get();
}

void Worker::become(const std::string& role) {
    worker.reset(new Worker(Recorder::open(std::atoi(role.c_str()))));
}

Worker::Worker(Recorder recorder) : recorder_(recorder) {
    Flight& flight = recorder.flight();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != flight.supervisor) std::_Exit(1);  // it died before it could be told of
    prctl(PR_SET_NAME, program_invocation_short_name);  // not "exe"
    fcntl(recorder.fd(), F_SETFD, FD_CLOEXEC);
    InterruptGuard::count_in(flight.stops);
    for (const auto& line : recorder.lines()) {
        const std::string step = line.value("step", "");
        if (line.contains("code")) codes_[step] = line["code"];
        if (line.contains("result")) results_.push_back(line["result"]);
        if (line.contains("told")) told_.insert(line["told"]);
        if (line.contains("candidate")) {
            db::Candidate candidate = db::candidate_from_json(line["candidate"]);
            const std::string id = candidate.id;
            candidates_[{step, id}] = std::move(candidate);
        }
    }
}

std::string Worker::here() const {
    return fmt::format("{}", fmt::join(step_, "/"));
}

int Worker::step(std::size_t index, const std::function<int()>& work) {
    if (!worker) return work();
    const Inside inside(worker->step_, index);
    const std::string name = worker->here();
    if (const auto done = worker->codes_.find(name); done != worker->codes_.end())
        return done->second;
    if (const int code = worker->recorder_.flight().closing) return code;
    char(&at)[32] = worker->recorder_.flight().at;
    const std::string outer = at;
    set_text(at, name);
    commit_fault("step " + name, "begun");
    const int code = work();
    if (worker->recorder_.flight().step == name)
        worker->forget_sweep();
    else
        worker->sweep_at_ = 0;  // that of a step below has failed: it stays in the journal
    nlohmann::ordered_json line{{"step", name}, {"code", code}};
    if (!worker->kept_.is_null()) line["result"] = std::exchange(worker->kept_, {});
    worker->recorder_.append(line);
    ++worker->recorder_.flight().steps;
    set_text(at, outer);
    return code;
}

/// Its candidates are part of a result now; of many matrices they would take much memory.
void Worker::forget_sweep() {
    if (sweep_at_ == 0) return;
    recorder_.cut(std::exchange(sweep_at_, 0));
    for (const std::string& text : told_now_) recorder_.append({{"told", text}});
}

void Worker::keep(nlohmann::ordered_json result) {
    kept_ = std::move(result);
}

bool Worker::is_news(const std::string& text) {
    if (told_.contains(text)) return false;
    recorder_.append({{"told", text}});
    told_now_.push_back(text);
    return true;
}

void Worker::finish(int code) {
    recorder_.flight().code = code;
}

tuner::SweepResult Worker::sweep(const tuner::SweepOptions& options, const Run& run,
                                 const Head& head) {
    if (!worker) return run(options);
    worker->head_ = head;
    return worker->sweep_watched(options, run);
}

tuner::SweepResult Worker::sweep_watched(tuner::SweepOptions options, const Run& run) {
    Flight& flight = recorder_.flight();
    if (here() != flight.step) {
        set_text(flight.step, here());
        flight.first_turn_s = 0;
        flight.sweep_began_s = now_s();
    }
    const double before_s = now_s() - flight.sweep_began_s;
    const double budget_s = options.budget_s;
    if (budget_s > 0) options.budget_s = std::max(budget_s - before_s, 1e-3);
    options.journal = this;
    sweep_at_ = recorder_.size();
    told_now_.clear();
    if (flight.wind_up) std::raise(flight.wind_up);
    try {
        tuner::SweepResult result = run(options);
        result.entry.provenance.budget_s = budget_s;
        result.entry.provenance.sweep_s += before_s;
        return result;
    } catch (const DeviceFailure& failure) {
        if (!failure.lost) throw;
        set_text(flight.failure, failure.what());
        std::_Exit(kDeviceLost);  // what else could be done with the device would fail, too
    }
}

void Worker::open(const db::Entry& blank) {
    recorder_.append({{"step", here()}, {"head", head_(blank)}});
}

void Worker::begin(const std::string& id, const char* phase) {
    Flight& flight = recorder_.flight();
    if (!flight.busy) turn_began_s_ = now_s();
    set_text(flight.id, id);
    set_text(flight.phase, phase);
    ++flight.turn;
    flight.busy = true;
    commit_fault(id, phase);
}

void Worker::end() {
    recorder_.flight().busy = false;
}

void Worker::settle(const db::Candidate& candidate) {
    Flight& flight = recorder_.flight();
    const bool ran = candidate.status == db::Status::ok;  // another may have taken no time
    if (flight.first_turn_s == 0 && ran) flight.first_turn_s = now_s() - turn_began_s_;
    recorder_.append({{"step", here()},
                      {"candidate", db::to_json(candidate)},
                      {"after_s", now_s() - flight.sweep_began_s}});
}

const db::Candidate* Worker::recall(const std::string& id) const {
    static const db::Candidate wrong = [] {
        db::Candidate c;
        c.status = db::Status::incorrect;
        c.reason = "as $SPTUNE_FAULT asks";
        return c;
    }();
    if (is_to_be_wrong(id)) return &wrong;
    const auto found = candidates_.find({here(), id});
    return found == candidates_.end() ? nullptr : &found->second;
}

}  // namespace sptune::cli
