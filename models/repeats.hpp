// Sweeps of one matrix that were made more than once on devices of one key: what one of them says
// of the other. A measure of their noise, and no bound: who has learned from many sweeps may choose
// better than a single one does.
#pragma once

#include "models/samples.hpp"

#include <map>
#include <string>
#include <vector>

namespace sptune::models {

class Repeats {
  public:
    /// Refers to the samples.
    explicit Repeats(const std::vector<const Sample*>& samples);

    /// Of `sample` the kernel that another sweep found to be the cheapest (see cost()), of those
    /// that both have measured; nullptr where there is no other, or where none had the cheapest of
    /// this one on offer. A kernel that has changed in between is another one.
    const Timed* cheapest_elsewhere(const Sample& sample, double calls) const;

  private:
    std::map<std::string, std::vector<const Sample*>> sweeps_;
};

}  // namespace sptune::models
