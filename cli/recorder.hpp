// Memory that a supervisor and its worker share, and that outlives the worker: what is under way,
// and a journal of what is done.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>
#include <sys/types.h>

namespace sptune::cli {

/// What is under way. Texts are read by the supervisor once the worker is dead.
struct Flight {
    std::uint64_t magic;
    pid_t supervisor;
    // By the worker.
    std::atomic<std::uint64_t> turn;  ///< counts the phases of all candidates
    std::atomic<bool> busy;           ///< a candidate's code is running
    std::atomic<int> stops;           ///< signals received that ask to stop
    std::atomic<int> steps;           ///< finished by all workers
    std::atomic<int> code;            ///< exit code once all is done; before: -1
    double sweep_began_s;             ///< steady clock
    std::atomic<double>
        first_turn_s;  ///< of this sweep: the baseline's, as a rule; 0: not over yet
    char at[32];       ///< the step it is in; empty before the first and after the last
    char step[32], id[256], phase[32];  ///< of the sweep
    char failure[512];                  ///< why it ends in the middle, where it does so by itself
    // By the supervisor.
    int wind_up;  ///< a signal: store what is known as if that had just come; 0: none
    int closing;  ///< exit code of all that is not finished: nothing is to be begun; 0: it may
};

class Recorder {
  public:
    /// Throws Error where the system has no such memory.
    static Recorder create();
    /// Of the process that has started this one. Throws UsageError where `fd` is something else.
    static Recorder open(int fd);

    int fd() const { return fd_; }
    Flight& flight() const { return *flight_; }

    /// To the journal. What cannot be written is lost, which costs measuring it again.
    void append(const nlohmann::ordered_json& line) const;
    std::vector<nlohmann::ordered_json> lines() const;
    /// What was appended after its size() was `size` is forgotten.
    off_t size() const;
    void cut(off_t size) const;

  private:
    Recorder(int fd, Flight* flight) : fd_(fd), flight_(flight) {}

    int fd_;
    Flight* flight_;  ///< both stay for the life of the process
};

/// `text` into a field of Flight, cut where it is too long.
template <std::size_t N>
void set_text(char (&field)[N], const std::string& text) {
    field[text.copy(field, N - 1)] = '\0';
}

}  // namespace sptune::cli
