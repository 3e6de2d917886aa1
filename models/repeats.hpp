// Sweeps of one matrix on one device that were made more than once: what the next one takes back of
// what the first has found. No way of choosing can be expected to do better.
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
    /// this one on offer.
    const Timed* cheapest_elsewhere(const Sample& sample, double calls) const;

  private:
    std::map<std::string, std::vector<const Sample*>> sweeps_;
};

}  // namespace sptune::models
