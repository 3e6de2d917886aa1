// Grows the trees of a forest, one after the other.
// The numbers of each input are put into bins once; a node looks for its cut between bins alone, as
// in Ke et al., "LightGBM: a highly efficient gradient boosting decision tree", NeurIPS 2017,
// section 2.1. The cut then lies between the two nearest numbers of its own rows.
#pragma once

#include "models/forest.hpp"

#include <random>

namespace sptune::models {

class TreeGrower {
  public:
    /// Refers to both.
    TreeGrower(const Table& table, const ForestOptions& options);

    /// Appends the nodes and leaves of a tree that takes away a part of `residual` (rows × outputs,
    /// 0 where the target is unknown).
    void grow(const std::vector<float>& residual, std::mt19937_64& random, std::vector<Node>& nodes,
              std::vector<float>& leaves);

  private:
    using Rows = std::vector<std::uint32_t>;
    struct Sums {
        std::vector<double> sum;
        std::vector<float> count;
        explicit Sums(std::size_t outputs) : sum(outputs), count(outputs) {}
    };
    struct Cut {
        double gain = 0;
        std::uint32_t input = 0;
        std::uint8_t bin = 0;  ///< the last one of the left side
    };

    void make_bins(std::size_t input);
    /// Of rows begin ... end - 1.
    void add(const Rows& rows, std::size_t begin, std::size_t end, Sums& sums) const;
    void split(const Rows& rows, int depth, std::vector<Node>& nodes, std::vector<float>& leaves);
    Cut best_cut(const Rows& rows, const Sums& all) const;
    Cut best_cut_of(std::uint32_t input, const Rows& rows, const Sums& all, double before) const;
    std::uint8_t bin_of(std::uint32_t input, std::uint32_t row) const {
        return bins_[input * table_.rows + row];
    }

    const Table& table_;
    const ForestOptions& options_;
    std::vector<std::uint8_t> bins_;   ///< inputs × rows
    std::vector<std::uint8_t> known_;  ///< rows × outputs: 1, or 0 where the target is unknown
    const float* residual_ = nullptr;
    std::vector<std::uint32_t> inputs_;  ///< that this tree may look at
};

}  // namespace sptune::models
