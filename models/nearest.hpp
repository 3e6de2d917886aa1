// The yardstick of simple models: the matrix of the training set that looks most alike decides.
#pragma once

#include "models/predictor.hpp"
#include "models/samples.hpp"

namespace sptune::models {

/// Keeps the training set; the samples must outlive it. Never stored.
class Nearest final : public Predictor {
  public:
    explicit Nearest(std::vector<const Sample*> samples);

    std::string name() const override { return "nearest neighbour"; }
    bool covers(Op op, ValueType value, const db::Device& device) const override;
    bool knows(const Variant&) const override { return true; }
    /// The neighbour's own times.
    std::vector<Prediction> predict(const Features& features, const db::Device& device,
                                    std::span<const Option> options) const override;
    double confidence(const Variant&, const Features&, const db::Device&) const override {
        return 0.5;
    }

  private:
    std::vector<const Sample*> samples_;
    std::vector<float> mean_, scale_;
    std::vector<float> points_;  ///< standardised inputs of each sample
};

}  // namespace sptune::models
