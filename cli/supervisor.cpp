#include "cli/supervisor.hpp"

#include "cli/affinity.hpp"
#include "cli/death.hpp"
#include "cli/exit_code.hpp"
#include "cli/output.hpp"
#include "cli/patience.hpp"
#include "cli/recorder.hpp"
#include "cli/remains.hpp"
#include "cli/worker.hpp"
#include "db/codec.hpp"
#include "kernels/variant.hpp"
#include "matrix/error.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <optional>

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sptune::cli {
namespace {

constexpr const char* kRole = "SPTUNE_WORKER";
constexpr int kMostDeaths = 10;   ///< in one sweep
constexpr int kMostUnblamed = 2;  ///< in a row, without a candidate to blame

timespec milliseconds(long ms) {
    return {ms / 1000, ms % 1000 * 1'000'000};
}

class Supervisor {
  public:
    explicit Supervisor(std::vector<std::string> words)
        : words_(std::move(words)), recorder_(Recorder::create()) {
        restore_affinity();
        setenv(kRole, std::to_string(recorder_.fd()).c_str(), 1);
        signal(SIGCHLD, SIG_DFL);  // who ignores it is not told how a child ended
        sigemptyset(&awaited_);
        for (const int s : {SIGCHLD, SIGINT, SIGTERM}) sigaddset(&awaited_, s);
        struct sigaction hangup {};
        sigaction(SIGHUP, nullptr, &hangup);
        if (hangup.sa_handler != SIG_IGN) sigaddset(&awaited_, SIGHUP);  // not with nohup
        sigprocmask(SIG_BLOCK, &awaited_, &mask_);
    }

    int run() {
        const int code = see_through();
        // Who asks twice does not want to wait for anything.
        if (asked_ < 2) store(remains_in(recorder_.lines()));
        if (code >= 0) return code;
        end_by(WTERMSIG(status_));
    }

  private:
    /// The exit code; -1: what has ended the worker is to end this process, too.
    int see_through() {
        for (;;) {
            start();
            wait();
            if (flight_.code >= 0) return gave_up_ ? kFailure : flight_.code.load();
            if (!died()) {
                if (!wind_up()) return WIFEXITED(status_) ? WEXITSTATUS(status_) : -1;
                continue;
            }
            if (flight_.closing) return flight_.closing;
            if (flight_.wind_up) return gave_up_ ? kFailure : 128 + flight_.wind_up;
            blame();
        }
    }

    void start() {
        flight_.code = -1;
        flight_.busy = false;
        flight_.stops = 0;
        flight_.failure[0] = '\0';
        asked_ = 0;
        hung_s_ = 0;
        left_ = false;
        killed_before_ = killed_for_memory();
        std::vector<char*> argv;
        for (std::string& word : words_) argv.push_back(word.data());
        argv.push_back(nullptr);
        posix_spawnattr_t attributes;
        posix_spawnattr_init(&attributes);
        posix_spawnattr_setsigmask(&attributes, &mask_);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
        const int error =
            posix_spawn(&worker_, "/proc/self/exe", nullptr, &attributes, argv.data(), environ);
        posix_spawnattr_destroy(&attributes);
        if (error)
            throw Error(fmt::format("no process to measure in: {}; {}=off measures in this one",
                                    std::strerror(error), kRole));
    }

    /// Until the worker has ended.
    void wait() {
        constexpr long kTickMs = 250;
        double still_s = 0, dying_s = 0;
        std::uint64_t turn = flight_.turn;
        for (auto last = Clock::now(); waitpid(worker_, &status_, WNOHANG) != worker_;) {
            const timespec tick = milliseconds(kTickMs);
            const int signal = sigtimedwait(&awaited_, nullptr, &tick);
            if (signal > 0 && signal != SIGCHLD) {
                pass_to_worker(signal);
                if (asked_ == 1) still_s = 0;
            }
            // Times of the clock would count while both were stopped, or the machine slept.
            const auto now = Clock::now();
            const double passed_s = std::chrono::duration<double>(now - last).count();
            last = now;
            still_s += std::min(passed_s, 2e-3 * kTickMs);
            reap_those_left();
            if (hung_s_ > 0) {
                dying_s += std::min(passed_s, 2e-3 * kTickMs);
                if (dying_s > patience_.dying_s()) return leave();
                continue;
            }
            // What is no kernel, such as reading a matrix, may take its time until an end is due.
            const bool ending = asked_ || flight_.wind_up || flight_.closing;
            const bool waiting = flight_.busy || ending;
            if (!waiting || flight_.turn != turn) still_s = 0, turn = flight_.turn;
            if (still_s <= patience_.limit_s(flight_, asked_)) continue;
            hung_s_ = still_s;
            kill(worker_, SIGKILL);
            hung_turn_ = turn;
        }
    }

    /// Goes on as if the worker that was killed were dead.
    void leave() {
        warn(fmt::format("process {} was killed since it hung, but does not die; it is left behind",
                         worker_));
        left_behind_.push_back(worker_);
        left_ = true;
        status_ = SIGKILL;  // as waitpid() would have it
    }

    void reap_those_left() {
        std::erase_if(left_behind_,
                      [](pid_t pid) { return waitpid(pid, nullptr, WNOHANG) == pid; });
    }

    /// Ctrl-C goes to all processes of a terminal, `kill` to this one alone. A second signal ends
    /// the worker, so that it must not get one twice.
    void pass_to_worker(int signal) {
        take_in(signal);
        if (flight_.stops < asked_) kill(worker_, signal);
    }

    void take_in(int signal) {
        const timespec until_it_came = milliseconds(100), at_once{};
        nanosleep(&until_it_came, nullptr);
        sigset_t same;
        sigemptyset(&same);
        sigaddset(&same, signal);
        while (sigtimedwait(&same, nullptr, &at_once) > 0) {  // `timeout` sends two
        }
        asked_for_ = signal;
        ++asked_;
    }

    /// Whether the worker was stopped by what it measured.
    bool died() const {
        if (WIFSIGNALED(status_)) return is_crash(WTERMSIG(status_));
        return flight_.busy || WEXITSTATUS(status_) == kDeviceLost;
    }

    /// After a signal outside of a sweep, where it just ends the worker: whether another worker has
    /// to take over and store what was measured, or to write what was finished. A second signal
    /// ends it all.
    bool wind_up() {
        if (flight_.wind_up || flight_.closing || !WIFSIGNALED(status_)) return false;
        const int signal = WTERMSIG(status_);
        if (asked_ == 0 && sigismember(&awaited_, signal) == 1) take_in(signal);  // it was faster
        if (asked_ != 1 || signal != asked_for_) return false;
        if (has_measured()) {
            flight_.wind_up = signal;
            return true;
        }
        // After the last step the results are on their way already.
        if (!flight_.at[0] || !has_results()) return false;
        wipe_progress();
        warn("interrupted; finished sweeps are kept");
        flight_.closing = 128 + signal;
        return true;
    }

    bool has_results() const {
        const auto lines = recorder_.lines();
        return std::any_of(lines.begin(), lines.end(),
                           [](const auto& line) { return line.contains("result"); });
    }

    /// Whether the journal holds what is in no result yet, of the step under way or one below it.
    bool has_measured() const {
        const std::string step = flight_.at;
        const auto all = remains_in(recorder_.lines());
        return std::any_of(all.begin(), all.end(), [&](const Remains& remains) {
            return remains.step == step || remains.step.starts_with(step + "/");
        });
    }

    [[noreturn]] void end_by(int last) {
        signal(last, SIG_DFL);
        sigprocmask(SIG_SETMASK, &mask_, nullptr);
        raise(last);
        std::_Exit(128 + last);
    }

    /// The worker's line.
    static void wipe_progress() {
        if (isatty(STDERR_FILENO)) print_error("\r\033[K");
    }

    /// Tells the user and the next worker whose fault it was, and whether to go on.
    void blame() {
        wipe_progress();
        if (flight_.steps != steps_) steps_ = flight_.steps, deaths_ = unblamed_ = 0;
        ++deaths_;
        ++unblamed_;
        const bool in_flight = flight_.busy && (hung_s_ == 0 || flight_.turn == hung_turn_);
        const Death how = death();
        // Who asked for an end did not give it the time that it has.
        const bool cut_short = hung_s_ > 0 && hung_s_ <= patience_.allowed_s(flight_);
        if (in_flight && cut_short) {
            warn(fmt::format("{}: {} while it was {}; not waited for", flight_.id, how.text(),
                             flight_.phase));
        } else if (in_flight) {
            unblamed_ = 0;
            db::Candidate candidate;
            candidate.id = flight_.id;
            candidate.status = how.verdict();
            candidate.reason = fmt::format("{} while it was {}", how.text(), flight_.phase);
            recorder_.append({{"step", flight_.step}, {"candidate", db::to_json(candidate)}});
            warn(fmt::format("{}: {}; it is left out", candidate.id, candidate.reason));
        } else {
            warn(how.text() + " while no kernel ran");
        }
        if (left_ && matches(flight_.id, "*.cuda.*")) {
            warn(
                "its kernel may keep the GPU busy still, so that no time could be trusted; what "
                "was measured is kept");
            flight_.closing = asked_ ? 128 + asked_for_ : kFailure;
        } else if (asked_) {
            flight_.wind_up = asked_for_;
        } else if (unblamed_ >= kMostUnblamed && flight_.at[0] && !has_measured()) {
            warn("gave up on this matrix");
            recorder_.append({{"step", flight_.at}, {"code", kFailure}});
            deaths_ = unblamed_ = 0;
        } else if (deaths_ >= kMostDeaths || unblamed_ >= kMostUnblamed) {
            warn(fmt::format("gave up after {} of them; what was measured is kept", deaths_));
            gave_up_ = true;
            flight_.wind_up = SIGTERM;
        }
    }

    Death death() const {
        const auto killed = killed_for_memory();
        return {status_, hung_s_, flight_.failure, !killed || killed != killed_before_};
    }

    using Clock = std::chrono::steady_clock;

    std::vector<std::string> words_;
    Recorder recorder_;
    Flight& flight_ = recorder_.flight();
    const Patience patience_;
    sigset_t awaited_, mask_;
    bool gave_up_ = false;
    int steps_ = 0, deaths_ = 0, unblamed_ = 0;
    std::vector<pid_t> left_behind_;
    // Of the present worker.
    pid_t worker_ = 0;
    int status_ = 0;
    int asked_ = 0, asked_for_ = 0;  ///< to stop: how often, by which signal
    double hung_s_ = 0;              ///< > 0: it was killed because of that
    std::uint64_t hung_turn_ = 0;
    bool left_ = false;                           ///< it is not dead yet
    std::optional<std::uint64_t> killed_before_;  ///< it was started
};

}  // namespace

int supervise(const std::string& name, const std::vector<std::string>& args,
              const std::function<int()>& work) {
    const char* variable = std::getenv(kRole);
    const std::string role = variable ? variable : "";
    if (role == "off") return work();
    if (!role.empty()) {
        Worker::become(role);
        const int code = work();
        if (std::fflush(stdout) != 0) throw Error("stdout cannot be written");
        Worker::self()->finish(code);
        return code;
    }
    std::vector<std::string> words{program_invocation_name, name};
    words.insert(words.end(), args.begin(), args.end());
    return Supervisor(std::move(words)).run();
}

}  // namespace sptune::cli
