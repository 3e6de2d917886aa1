// One line on stderr that tells how far long work is.
#pragma once

#include <chrono>
#include <string>

namespace sptune::cli {

/// Redraws at most ten times a second, and only where stderr is a terminal; the line is wiped when
/// the object dies. Nothing appears during the first 0.3 s, so that short work stays silent.
class ProgressLine {
  public:
    /// Where stderr is a file or a pipe: nothing, or a line of its own once a minute.
    enum class Log { nothing, minutes };

    explicit ProgressLine(Log log = Log::nothing);
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    /// `share` in [0, 1]; `eta_s` < 0: derived from `share` and the time since reset().
    void show(const std::string& what, double share, const std::string& detail = {},
              double eta_s = -1);
    /// The next show() belongs to new work: wipes the line and restarts the clock.
    void reset();

  private:
    using Clock = std::chrono::steady_clock;
    void wipe();

    bool terminal_;
    Log log_;
    bool drawn_ = false;
    Clock::time_point start_, last_;
};

}  // namespace sptune::cli
