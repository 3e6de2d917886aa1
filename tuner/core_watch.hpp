// Cores that do something else for a while: each call on all threads then takes as long as the
// scheduler leaves one of them waiting, a thousand times what it takes otherwise.
#pragma once

namespace sptune::tuner {

/// Of one sweep on a CPU.
class CoreWatch {
  public:
    explicit CoreWatch(int threads) : threads_(threads) {}
    virtual ~CoreWatch() = default;

    /// Whether calls that took so long together have to be made again, since threads do not start
    /// in time. Returns once they do, or when all its patience is used up; from then on nothing is
    /// made again.
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
    int threads_;
    int repeated_ = 0;
    double patience_us_ = 10e6;
};

}  // namespace sptune::tuner
