// Adds up what one way of choosing did.
#pragma once

#include "models/evaluate.hpp"
#include "models/launching.hpp"

#include <string>
#include <vector>

namespace sptune::models {

/// Of one call in a program's loop, with the conversion spread over `calls`; 0: it does not count.
inline double cost(const Sample& s, const Timed& t, double calls) {
    return as_called_us(s.device, t.variant, t.us) + (calls > 0 ? t.convert_us / calls : 0);
}

/// The cheapest kernel that is allowed; nullptr where none is.
template <class Allowed>
const Timed* cheapest(const Sample& s, double calls, Allowed allowed) {
    const Timed* best = nullptr;
    for (const Timed& t : s.timed)
        if (allowed(t) && (!best || cost(s, t, calls) < cost(s, *best, calls))) best = &t;
    return best;
}

class Tally {
  public:
    Tally(std::string name, double calls) : calls_(calls) { score_.name = std::move(name); }
    /// `elsewhere`: the fastest by another sweep (repeats.hpp), as this one timed it; may be null.
    void add(const Sample& sample, const Timed& chosen, const Timed* elsewhere);
    Score score();
    bool empty() const { return regrets_.empty(); }

  private:
    Score score_;
    double calls_;
    std::vector<double> regrets_, without_luck_;
};

/// Of several ways, in the order in which they were first asked for.
class Tallies {
  public:
    explicit Tallies(double calls) : calls_(calls) {}
    Tally& of(const std::string& name);
    /// Of those that have chosen at all.
    std::vector<Score> scores();

  private:
    double calls_;
    std::vector<std::pair<std::string, Tally>> list_;
};

}  // namespace sptune::models
