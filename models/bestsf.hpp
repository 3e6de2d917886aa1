// BestSF: support vector machines vote for a format, from eleven features.
// Source: Benatia, Ji, Wang, Shi, "BestSF: A Sparse Meta-Format for Optimizing SpMV on GPU", ACM
// TACO 15(3), 2018. As there: eleven scaled features; one machine for each pair of formats, whose
// training points weigh what the wrong one of the two would cost; votes decide. Left to us: the
// kernel within a format, for which the ones that do best over the training set are taken in turn.
#pragma once

#include "models/predictor.hpp"
#include "models/samples.hpp"
#include "models/svm.hpp"

#include <unordered_map>

namespace sptune::models {

class BestSf final : public Predictor {
  public:
    /// One format that may be voted for.
    struct Choice {
        std::string format;
        std::vector<Variant> kernels;  ///< best first; value and index say nothing
        double relative = 1;           ///< typical time of the first in plain CSR's, where it wins
    };
    struct Pair {
        std::size_t first = 0, second = 0;  ///< Svm above 0: the first is faster
        Svm svm;
    };
    struct Parts {
        Backend backend = Backend::cpu;
        std::vector<float> low, high;  ///< of the features, after log(1 + v), in training
        std::vector<Choice> choices;
        std::vector<Pair> pairs;
    };
    /// Throws Error where the parts do not fit together.
    explicit BestSf(Parts parts);

    /// With several threads as many pairs at once as half of the memory has room for.
    static BestSf train(const std::vector<const Sample*>& samples, int threads = 1,
                        const SvmOptions& options = {});

    std::string name() const override { return "bestsf"; }
    bool covers(Op op, ValueType value, const db::Device& device) const override;
    bool knows(const Variant& variant) const override;
    /// Votes give an order, not times: the time is that of plain CSR by the roofline, times what is
    /// typical of the winning format, and larger by half for each place that a format is behind.
    std::vector<Prediction> predict(const Features& features, const db::Device& device,
                                    std::span<const Option> options) const override;
    /// The share of its votes that the winner got.
    double confidence(const Variant& chosen, const Features& features,
                      const db::Device& device) const override;

    /// Votes for each of parts().choices.
    std::vector<int> votes(const Features& features) const;
    const Parts& parts() const { return parts_; }

  private:
    struct Place {
        std::size_t choice = 0, rank = 0;
    };
    Parts parts_;
    std::unordered_map<std::uint64_t, Place> places_;  ///< by short_hash()
};

}  // namespace sptune::models
