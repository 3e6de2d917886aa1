#include "models/forest.hpp"

#include "matrix/error.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace sptune::models {
namespace {

using Rows = std::vector<std::uint32_t>;

/// Grows one tree on the residuals.
class Grower {
  public:
    Grower(const Table& table, const std::vector<float>& residual, const ForestOptions& options,
           const std::vector<std::vector<std::uint32_t>>& sorted, std::mt19937_64& random)
        : table_(table), residual_(residual), options_(options), sorted_(sorted), random_(random) {}

    void grow(std::vector<Node>& nodes, std::vector<float>& leaves) {
        in_tree_.assign(table_.rows, 0);
        Rows rows;
        std::uniform_real_distribution<double> chance(0, 1);
        for (std::size_t i = 0; i < table_.rows; ++i)
            if (chance(random_) < options_.row_share) rows.push_back(static_cast<std::uint32_t>(i));
        if (rows.empty()) rows.push_back(0);
        for (std::uint32_t i = 0; i < table_.inputs; ++i)
            if (chance(random_) < options_.input_share) inputs_.push_back(i);
        if (inputs_.empty() && table_.inputs > 0) inputs_.push_back(0);
        nodes_ = &nodes, leaves_ = &leaves;
        split(rows, options_.depth);
    }

  private:
    struct Sums {
        std::vector<double> sum, count;
        explicit Sums(std::size_t outputs) : sum(outputs), count(outputs) {}
        void add(const float* y) {
            for (std::size_t k = 0; k < sum.size(); ++k)
                if (!std::isnan(y[k])) sum[k] += y[k], count[k] += 1;
        }
    };
    static constexpr double kGain = 1e-9;  ///< less is rounding
    struct Cut {
        double gain = 0;
        std::uint32_t input = 0;
        float limit = 0;
    };

    const float* residual(std::uint32_t row) const {
        return residual_.data() + row * table_.outputs;
    }

    void split(const Rows& rows, int depth) {
        Sums all(table_.outputs);
        for (const std::uint32_t row : rows) all.add(residual(row));
        const Cut cut = depth > 0 ? best_cut(rows, all) : Cut{};
        if (cut.gain <= 0) {
            nodes_->push_back({-1, static_cast<std::int32_t>(leaves_->size() / table_.outputs), 0});
            for (std::size_t k = 0; k < table_.outputs; ++k)
                leaves_->push_back(static_cast<float>(options_.rate * all.sum[k] /
                                                      (all.count[k] + options_.shrink)));
            return;
        }
        const std::size_t here = nodes_->size();
        nodes_->push_back({static_cast<std::int32_t>(cut.input), 0, cut.limit});
        Rows low, high;
        for (const std::uint32_t row : rows)
            (table_.x_of(row)[cut.input] <= cut.limit ? low : high).push_back(row);
        split(low, depth - 1);
        (*nodes_)[here].right = static_cast<std::int32_t>(nodes_->size());
        split(high, depth - 1);
    }

    /// The cut that takes away most of the squared residuals, summed over the outputs.
    Cut best_cut(const Rows& rows, const Sums& all) {
        if (rows.size() < 2 * static_cast<std::size_t>(options_.least_rows)) return {};
        for (const std::uint32_t row : rows) in_tree_[row] = 1;
        double before = 0;
        for (std::size_t k = 0; k < table_.outputs; ++k)
            before += all.sum[k] * all.sum[k] / (all.count[k] + options_.shrink);
        std::vector<Cut> cuts(inputs_.size());
#pragma omp parallel for schedule(dynamic, 4)
        for (std::size_t i = 0; i < cuts.size(); ++i)
            cuts[i] = best_cut_of(inputs_[i], rows.size(), all, before);
        for (const std::uint32_t row : rows) in_tree_[row] = 0;
        Cut best;
        for (const Cut& cut : cuts)
            if (cut.gain > best.gain + kGain) best = cut;
        return best;
    }

    /// The same for one input. `before`: what remains without a cut, `count`: rows in the node.
    Cut best_cut_of(std::uint32_t input, std::size_t count, const Sums& all, double before) const {
        const auto least = static_cast<std::size_t>(options_.least_rows);
        Cut best;
        Sums left(table_.outputs);
        std::size_t seen = 0;
        const float* previous = nullptr;
        for (const std::uint32_t row : sorted_[input]) {
            if (!in_tree_[row]) continue;
            const float* x = table_.x_of(row) + input;
            if (previous && seen >= least && count - seen >= least && *previous < *x) {
                double after = 0;
                for (std::size_t k = 0; k < table_.outputs; ++k) {
                    const double right = all.sum[k] - left.sum[k];
                    after += left.sum[k] * left.sum[k] / (left.count[k] + options_.shrink) +
                             right * right / (all.count[k] - left.count[k] + options_.shrink);
                }
                // Between the two values, so that a matrix in between falls to the nearer.
                const float limit = *previous + (*x - *previous) / 2;
                if (after - before > best.gain + kGain) best = {after - before, input, limit};
            }
            left.add(residual(row));
            previous = x;
            ++seen;
        }
        return best;
    }

    const Table& table_;
    const std::vector<float>& residual_;
    const ForestOptions& options_;
    const std::vector<std::vector<std::uint32_t>>& sorted_;  ///< rows by each input
    std::mt19937_64& random_;
    std::vector<std::uint32_t> inputs_;
    std::vector<char> in_tree_;
    std::vector<Node>* nodes_ = nullptr;
    std::vector<float>* leaves_ = nullptr;
};

void require(bool holds, const char* what) {
    if (!holds) throw Error(std::string("forest: ").append(what));
}

/// Adds the leaf that x leads to. Leaf and Sum: float while growing, 16 bits and 32 bits later.
template <class Leaf, class Sum>
void add_tree(const Node* nodes, std::int32_t root, const Leaf* leaves, const float* x,
              std::size_t outputs, Sum* out) {
    std::int32_t at = root;
    while (nodes[at].input >= 0)
        at = x[nodes[at].input] <= nodes[at].limit ? at + 1 : nodes[at].right;
    const Leaf* leaf = leaves + static_cast<std::size_t>(nodes[at].right) * outputs;
    for (std::size_t k = 0; k < outputs; ++k) out[k] += leaf[k];
}

}  // namespace

Forest::Forest(std::size_t inputs, std::vector<float> base, std::vector<std::int32_t> roots,
               std::vector<Node> nodes, std::vector<Fixed> leaves)
    : inputs_(inputs),
      base_(std::move(base)),
      roots_(std::move(roots)),
      nodes_(std::move(nodes)),
      leaves_(std::move(leaves)) {
    require(!base_.empty(), "has no outputs");
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
    require(all == 0 || nodes_.back().input < 0, "the last node is not a leaf");
    for (const std::int32_t root : roots_) require(root >= 0 && root < all, "a root is missing");
    constexpr std::size_t kMostTrees = 1 << 16;  // so many leaves of 16 bits fit a sum of 32
    require(roots_.size() < kMostTrees, "has too many trees");
    const auto finite = [](float v) { return std::isfinite(v); };
    require(std::all_of(base_.begin(), base_.end(), finite), "a value is not a number");
}

Forest Forest::train(const Table& table, const ForestOptions& options) {
    require(table.rows > 0 && table.outputs > 0, "nothing to learn from");
    std::vector<float> base(table.outputs);
    for (std::size_t k = 0; k < table.outputs; ++k) {
        double sum = 0, count = 0;
        for (std::size_t i = 0; i < table.rows; ++i)
            if (const float y = table.y_of(i)[k]; !std::isnan(y)) sum += y, count += 1;
        base[k] = static_cast<float>(count > 0 ? sum / count : 0);
    }
    std::vector<float> residual(table.y);
    for (std::size_t i = 0; i < residual.size(); ++i) residual[i] -= base[i % table.outputs];

    std::vector<std::vector<std::uint32_t>> sorted(table.inputs);
    for (std::size_t input = 0; input < table.inputs; ++input) {
        sorted[input].resize(table.rows);
        std::iota(sorted[input].begin(), sorted[input].end(), 0u);
        std::stable_sort(sorted[input].begin(), sorted[input].end(), [&](auto a, auto b) {
            return table.x_of(a)[input] < table.x_of(b)[input];
        });
    }

    std::mt19937_64 random(options.seed);
    std::vector<std::int32_t> roots;
    std::vector<Node> nodes;
    std::vector<float> leaves, step(table.outputs);
    for (int t = 0; t < options.trees; ++t) {
        const auto root = static_cast<std::int32_t>(nodes.size());
        roots.push_back(root);
        Grower(table, residual, options, sorted, random).grow(nodes, leaves);
        for (std::size_t i = 0; i < table.rows; ++i) {
            std::fill(step.begin(), step.end(), 0.0f);
            add_tree(nodes.data(), root, leaves.data(), table.x_of(i), table.outputs, step.data());
            for (std::size_t k = 0; k < table.outputs; ++k)
                residual[i * table.outputs + k] -= step[k];
        }
    }
    std::vector<Fixed> fixed(leaves.size());
    std::transform(leaves.begin(), leaves.end(), fixed.begin(), to_fixed);
    return {table.inputs, std::move(base), std::move(roots), std::move(nodes), std::move(fixed)};
}

void Forest::predict(const float* x, float* out) const {
    std::vector<std::int32_t> sums(base_.size());
    for (const std::int32_t root : roots_)
        add_tree(nodes_.data(), root, leaves_.data(), x, base_.size(), sums.data());
    for (std::size_t k = 0; k < sums.size(); ++k)
        out[k] = base_[k] + static_cast<float>(sums[k]) * kFixedUnit;
}

std::vector<float> Forest::predict(std::span<const float> x) const {
    require(x.size() == inputs_, "another number of inputs");
    std::vector<float> out(base_.size());
    predict(x.data(), out.data());
    return out;
}

}  // namespace sptune::models
