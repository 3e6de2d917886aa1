// Cores that do something else for a while: each call on all threads then takes as long as the
// scheduler leaves one of them waiting, a thousand times what it takes otherwise.
#pragma once

#include <algorithm>
#include <atomic>

namespace sptune::tuner {

/// Of one sweep on a CPU.
class CoreWatch {
  public:
    /// Its patience is so many seconds, or a quarter of a budget (0: none); it ends where `stop` is
    /// set, which may be null.
    explicit CoreWatch(int threads, double budget_s = 0, const std::atomic<bool>* stop = nullptr)
        : threads_(threads),
          stop_(stop),
          patience_us_(1e6 * (budget_s > 0 ? std::min(kPatience, budget_s / 4) : kPatience)) {}
    virtual ~CoreWatch() = default;

    /// Whether calls that took so long together have to be made again, since threads do not start
    /// in time. Returns once they do, or when all its patience is used up, by waiting and by what
    /// is made again; from then on nothing is.
    bool spoiled(double batch_us);
    /// How often spoiled() has said so.
    int repeated() const { return repeated_; }
    /// Whether patience was used up: times may be those of a busy machine.
    bool busy() const { return patience_us_ <= 0; }

  protected:
    /// Whether threads start late, which has to be so several times in a row.
    virtual bool late() const;
    /// For a moment; returns how long, in microseconds.
    virtual double wait() const;

  private:
    static constexpr double kPatience = 10;

    int threads_;
    const std::atomic<bool>* stop_;
    int repeated_ = 0;
    double patience_us_;
};

}  // namespace sptune::tuner
