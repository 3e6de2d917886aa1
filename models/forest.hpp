// Gradient-boosted regression trees with several outputs: one walk down a tree adds to all of them.
// That is what makes predictions for dozens of kernels cheap: the features are looked at once, not
// once for each kernel.
// Sources: Friedman, "Greedy function approximation: a gradient boosting machine", Annals of
// Statistics 29(5), 2001, and "Stochastic gradient boosting", CSDA 38(4), 2002; leaves with several
// outputs as in De'ath, "Multivariate regression trees", Ecology 83(4), 2002.
#pragma once

#include "models/fixed_point.hpp"
#include "models/stored.hpp"
#include "models/tree_walks.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace sptune::models {

/// Samples by columns of `outputs`; a NaN target is unknown and counts for nothing.
struct Table {
    std::size_t rows = 0, inputs = 0, outputs = 0;
    std::vector<float> x;  ///< rows × inputs
    std::vector<float> y;  ///< rows × outputs
    /// Rows × outputs, or none: how far each output is known to be behind (see Network).
    std::vector<float> known = {};
    const float* x_of(std::size_t row) const { return x.data() + row * inputs; }
    const float* y_of(std::size_t row) const { return y.data() + row * outputs; }
};

struct ForestOptions {
    int trees = 250;
    int depth = 6;
    int least_rows = 8;        ///< of a leaf
    double rate = 0.05;        ///< share of its residual that a tree takes away
    double shrink = 1;         ///< added to the count of a leaf: few samples move little
    double row_share = 0.8;    ///< of the rows, drawn for each tree
    double input_share = 0.8;  ///< of the inputs, drawn for each tree
    std::uint64_t seed = 1;
};

/// More trees behind those, that take away what choosing the least output is expected to cost.
/// Where the least outputs are close to each other, errors of the others do not matter, and a
/// regression does not know that. Outputs are taken to be chosen with a chance of exp(-sharpness ·
/// output) (a soft minimum); the trees follow the gradient of the mean cost.
struct ChoiceOptions {
    int trees = 0;
    double sharpness = 40;
    double step = 0.1;
    double most = 0.5;  ///< a choice that costs more counts as this much
};

class Forest {
  public:
    Forest() = default;
    /// As stored. Throws Error where a walk could leave the arrays or never end.
    Forest(std::size_t inputs, std::vector<float> base, std::vector<std::int32_t> roots,
           Stored<Node> nodes, Stored<Fixed> leaves);

    /// `costs` are those of choosing each output, as large as table.y, NaN where it cannot be
    /// chosen; none without trees for them.
    static Forest train(const Table& table, const ForestOptions& options,
                        const std::vector<float>& costs = {}, const ChoiceOptions& choice = {});

    /// `out` has outputs() numbers, x at least inputs(). Some microseconds.
    void predict(const float* x, float* out) const;
    std::vector<float> predict(std::span<const float> x) const;

    std::size_t inputs() const { return inputs_; }
    std::size_t outputs() const { return base_.size(); }
    const std::vector<float>& base() const { return base_; }
    const std::vector<std::int32_t>& roots() const { return roots_; }
    const Stored<Node>& nodes() const { return nodes_; }
    const Stored<Fixed>& leaves() const { return leaves_; }

  private:
    std::size_t inputs_ = 0;
    std::vector<float> base_;          ///< means of the outputs
    std::vector<std::int32_t> roots_;  ///< first node of each tree
    Stored<Node> nodes_;
    /// A choice comes upon cold caches, and most of its time is waiting for these.
    Stored<Fixed> leaves_;
};

}  // namespace sptune::models
