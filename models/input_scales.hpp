// What the inputs of a network become.
#pragma once

#include <cstddef>
#include <vector>

namespace sptune::models {

/// The mean of an input's place among the quantiles of the training set and of its distance from
/// the mean, which is cut off. So outliers are no more than outliers, and neighbours stay apart
/// where many are close to each other.
struct InputScale {
    std::vector<float> quantiles;  ///< increasing, at least one
    float mean = 0, deviation = 1;
    float of(float x) const;
    bool operator==(const InputScale&) const = default;
};

/// The same for all inputs at once, in vectors.
class InputScales {
  public:
    InputScales() = default;
    /// As InputScale wants them.
    explicit InputScales(const std::vector<InputScale>& scales);

    /// What InputScale::of() says but for rounding, of finite numbers. Both have as many as there
    /// are scales.
    void operator()(const float* x, float* out) const;

  private:
    std::size_t count_ = 0, filled_ = 0;  ///< inputs; up to whole vectors
    std::size_t quantiles_ = 0;           ///< the most of any
    /// Of all inputs the means, then the deviations, then what a step from one quantile to the next
    /// is worth, then the first quantiles, the second ones and so on: infinite where there are
    /// fewer.
    std::vector<float> table_;
};

}  // namespace sptune::models
