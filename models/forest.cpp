#include "models/forest.hpp"

#include "features/clones.hpp"
#include "kernels/simd_target.hpp"
#include "matrix/error.hpp"
#include "models/soft_choice.hpp"
#include "models/tree_grower.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace sptune::models {
namespace {

void require(bool holds, const char* what) {
    if (!holds) throw Error(std::string("forest: ").append(what));
}

/// Adds the leaf that x leads to.
void add_tree(const Node* nodes, std::int32_t root, const float* leaves, const float* x,
              std::size_t outputs, float* out) {
    std::int32_t at = root;
    while (nodes[at].input >= 0)
        at = x[nodes[at].input] <= nodes[at].limit ? at + 1 : nodes[at].right;
    const float* leaf = leaves + static_cast<std::size_t>(nodes[at].right) * outputs;
    for (std::size_t k = 0; k < outputs; ++k) out[k] += leaf[k];
}

/// The sums of leaves of `outputs` numbers each, several outputs at a time, which stay in registers
/// from one leaf to the next; the last ones overlap those before.
SPTUNE_CLONES void sum_of_leaves(const Fixed* const* leaves, std::size_t count, std::size_t outputs,
                                 std::int32_t* sums) {
    constexpr std::size_t kTogether = 16;
    if (outputs < kTogether) {
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t k = 0; k < outputs; ++k) sums[k] += leaves[i][k];
        return;
    }
    for (std::size_t begin = 0; begin < outputs; begin += kTogether) {
        const std::size_t first = std::min(begin, outputs - kTogether);
        std::int32_t now[kTogether] = {};
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t k = 0; k < kTogether; ++k) now[k] += leaves[i][first + k];
        std::copy_n(now, kTogether, sums + first);
    }
}

}  // namespace

Forest::Forest(std::size_t inputs, std::vector<float> base, std::vector<std::int32_t> roots,
               Stored<Node> nodes, Stored<Fixed> leaves)
    : inputs_(inputs),
      base_(std::move(base)),
      roots_(std::move(roots)),
      nodes_(std::move(nodes)),
      leaves_(std::move(leaves)) {
    simd_target();  // settled before the first prediction
    require(!base_.empty(), "has no outputs");
    require(inputs_ > 0 || roots_.empty(), "has trees and no inputs");
    require(leaves_.size() % base_.size() == 0, "leaves do not match the outputs");
    const auto all = static_cast<std::int64_t>(nodes_.size());
    const auto leaf_count = static_cast<std::int64_t>(leaves_.size() / base_.size());
    for (std::int64_t i = 0; i < all; ++i) {
        const Node& n = nodes_[static_cast<std::size_t>(i)];
        if (n.input < 0) {
            require(n.right >= 0 && n.right < leaf_count, "a leaf is out of range");
            continue;
        }
        require(static_cast<std::size_t>(n.input) < inputs_, "a node looks at an unknown input");
        // Both ways lead forwards, so every walk ends.
        require(n.right > i + 1 && n.right < all, "a node leads backwards or out of range");
        require(std::isfinite(n.limit), "a limit is not a number");
    }
    require(all == 0 || nodes_[nodes_.size() - 1].input < 0, "the last node is not a leaf");
    for (const std::int32_t root : roots_) require(root >= 0 && root < all, "a root is missing");
    constexpr std::size_t kMostTrees = 1 << 16;  // so many leaves of 16 bits fit a sum of 32
    require(roots_.size() < kMostTrees, "has too many trees");
    const auto finite = [](float v) { return std::isfinite(v); };
    require(std::all_of(base_.begin(), base_.end(), finite), "a value is not a number");
}

Forest Forest::train(const Table& table, const ForestOptions& options,
                     const std::vector<float>& costs, const ChoiceOptions& choice) {
    require(table.rows > 0 && table.outputs > 0, "nothing to learn from");
    require(choice.trees == 0 || costs.size() == table.y.size(), "costs do not match the outputs");
    std::vector<float> base(table.outputs);
    for (std::size_t k = 0; k < table.outputs; ++k) {
        double sum = 0, count = 0;
        for (std::size_t i = 0; i < table.rows; ++i)
            if (const float y = table.y_of(i)[k]; !std::isnan(y)) sum += y, count += 1;
        base[k] = static_cast<float>(count > 0 ? sum / count : 0);
    }
    std::vector<float> outputs(table.y.size()), residual(table.y.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i] = base[i % table.outputs];

    std::mt19937_64 random(options.seed);
    std::vector<std::int32_t> roots;
    std::vector<Node> nodes;
    std::vector<float> leaves;
    const auto add = [&](TreeGrower& grower) {
        const auto root = static_cast<std::int32_t>(nodes.size());
        roots.push_back(root);
        grower.grow(residual, random, nodes, leaves);
        for (std::size_t i = 0; i < table.rows; ++i)
            add_tree(nodes.data(), root, leaves.data(), table.x_of(i), table.outputs,
                     outputs.data() + i * table.outputs);
    };
    TreeGrower regression(table, options);
    for (int t = 0; t < options.trees; ++t) {
        for (std::size_t i = 0; i < residual.size(); ++i)
            residual[i] = std::isnan(table.y[i]) ? 0 : table.y[i] - outputs[i];
        add(regression);
    }
    ForestOptions whole = options;
    whole.rate = 1;  // the step is part of the gradient
    TreeGrower descent(table, whole);
    for (int t = 0; t < choice.trees; ++t) {
        for (std::size_t i = 0; i < table.rows; ++i) {
            const std::size_t row = i * table.outputs;
            const auto change = std::span(residual).subspan(row, table.outputs);
            fall_of_cost(costs.data() + row, outputs.data() + row, choice.sharpness, choice.most,
                         change);
            for (float& c : change) c *= static_cast<float>(choice.step);
        }
        add(descent);
    }
    std::vector<Fixed> fixed(leaves.size());
    std::transform(leaves.begin(), leaves.end(), fixed.begin(), to_fixed);
    return {table.inputs, std::move(base), std::move(roots), std::move(nodes), std::move(fixed)};
}

void Forest::predict(const float* x, float* out) const {
    constexpr std::size_t kLine = 64;
    const std::size_t outputs = base_.size();
    std::vector<std::int32_t> at = roots_;
    walk_to_leaves(nodes_.data(), x, at.data(), at.size());
    std::vector<const Fixed*> found(at.size());
    for (std::size_t t = 0; t < at.size(); ++t) {
        const auto leaf = static_cast<std::size_t>(nodes_[static_cast<std::size_t>(at[t])].right);
        found[t] = leaves_.data() + leaf * outputs;
        const auto* const bytes = reinterpret_cast<const char*>(found[t]);
        for (std::size_t b = 0; b < outputs * sizeof(Fixed); b += kLine)
            __builtin_prefetch(bytes + b);
    }
    std::vector<std::int32_t> sums(outputs);
    sum_of_leaves(found.data(), found.size(), outputs, sums.data());
    for (std::size_t k = 0; k < outputs; ++k)
        out[k] = base_[k] + static_cast<float>(sums[k]) * kFixedUnit;
}

std::vector<float> Forest::predict(std::span<const float> x) const {
    require(x.size() >= inputs_, "too few inputs");
    std::vector<float> out(base_.size());
    predict(x.data(), out.data());
    return out;
}

}  // namespace sptune::models
