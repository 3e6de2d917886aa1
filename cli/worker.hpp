// The process that measures, as seen from inside: it tells its supervisor (cli/supervisor.hpp) what
// it does, and takes over what one before it has done.
#pragma once

#include "cli/recorder.hpp"
#include "tuner/journal.hpp"
#include "tuner/sweep.hpp"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace sptune::cli {

/// Ends a process that has lost its device.
inline constexpr int kDeviceLost = 100;

class Worker final : private tuner::Journal {
  public:
    /// From now on this process is a worker. `role` is what its supervisor has put into the
    /// environment.
    static void become(const std::string& role);
    /// nullptr where this process has no supervisor.
    static Worker* self();

    /// Does step `index` of the one that it is called in, unless an earlier worker has finished it.
    /// Returns its exit code.
    static int step(std::size_t index, const std::function<int()>& work);

    /// What comes of the present step, for the end of the command.
    void keep(nlohmann::ordered_json result);
    /// What earlier workers have kept, in order.
    const std::vector<nlohmann::ordered_json>& results() const { return results_; }

    /// Without a worker the same as run(options). `head` makes of the sweep's blank entry what the
    /// journal begins with: see cli/remains.hpp.
    using Run = std::function<tuner::SweepResult(const tuner::SweepOptions&)>;
    using Head = std::function<nlohmann::ordered_json(const db::Entry& blank)>;
    static tuner::SweepResult sweep(const tuner::SweepOptions& options, const Run& run,
                                    const Head& head);

    /// Whether no earlier worker has told this to the user.
    bool is_news(const std::string& text);
    /// All is done.
    void finish(int code);

  private:
    explicit Worker(Recorder recorder);

    tuner::SweepResult sweep_watched(tuner::SweepOptions options, const Run& run);
    void open(const db::Entry& blank) override;
    void begin(const std::string& id, const char* phase) override;
    void end() override;
    void settle(const db::Candidate& candidate) override;
    const db::Candidate* recall(const std::string& id) const override;
    std::string here() const;  ///< name of the present step
    void forget_sweep();

    Recorder recorder_;
    std::vector<std::size_t> step_;
    nlohmann::ordered_json kept_;
    Head head_;
    double turn_began_s_ = 0;
    off_t sweep_at_ = 0;                 ///< in the journal; 0: no sweep yet in this step
    std::vector<std::string> told_now_;  ///< since then
    // Of earlier workers.
    std::map<std::string, int> codes_;  ///< by step
    std::vector<nlohmann::ordered_json> results_;
    std::map<std::pair<std::string, std::string>, db::Candidate> candidates_;  ///< by step and id
    std::set<std::string> told_;
};

}  // namespace sptune::cli
