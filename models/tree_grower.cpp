#include "models/tree_grower.hpp"

#include "features/clones.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace sptune::models {
namespace {

constexpr std::size_t kBins = 128;
constexpr double kGain = 1e-9;  ///< less is rounding

/// Adds some rows of `residual` and `known`, the first of `all`. They lie anywhere, so those to
/// come are fetched ahead, which is worth while where they are more than the caches near by hold.
SPTUNE_CLONES
void add_outputs(double* sum, float* count, const float* residual, const std::uint8_t* known,
                 std::size_t outputs, const std::uint32_t* rows, std::size_t some,
                 std::size_t all) {
    constexpr std::size_t kAhead = 4, kLine = 64;
    for (std::size_t i = 0; i < some; ++i) {
        if (i + kAhead < all) {
            const auto* const next =
                reinterpret_cast<const char*>(residual + rows[i + kAhead] * outputs);
            for (std::size_t b = 0; b < outputs * sizeof(float); b += kLine)
                __builtin_prefetch(next + b);
            const auto* const then = known + rows[i + kAhead] * outputs;
            for (std::size_t b = 0; b < outputs; b += kLine) __builtin_prefetch(then + b);
        }
        const float* const r = residual + rows[i] * outputs;
        const std::uint8_t* const is = known + rows[i] * outputs;
        for (std::size_t k = 0; k < outputs; ++k) sum[k] += r[k];
        for (std::size_t k = 0; k < outputs; ++k) count[k] += is[k];
    }
}

/// What a cut takes away of the squared residuals, but for a constant: Σ sum² / count of both
/// sides.
SPTUNE_CLONES
double explained(const double* all, const float* all_count, const double* left,
                 const float* left_count, double shrink, std::size_t outputs) {
    double gain = 0;
#pragma omp simd reduction(+ : gain)
    for (std::size_t k = 0; k < outputs; ++k) {
        const double right = all[k] - left[k];
        gain += left[k] * left[k] / (left_count[k] + shrink) +
                right * right / (all_count[k] - left_count[k] + shrink);
    }
    return gain;
}

}  // namespace

TreeGrower::TreeGrower(const Table& table, const ForestOptions& options)
    : table_(table),
      options_(options),
      bins_(table.inputs * table.rows),
      known_(table.rows * table.outputs) {
    std::transform(table.y.begin(), table.y.end(), known_.begin(),
                   [](float y) { return std::isnan(y) ? std::uint8_t{0} : std::uint8_t{1}; });
    for (std::size_t input = 0; input < table.inputs; ++input) make_bins(input);
}

/// Equal numbers share a bin; where there are more numbers than bins, about as many rows each.
void TreeGrower::make_bins(std::size_t input) {
    const auto number = [&](std::uint32_t row) { return table_.x_of(row)[input]; };
    Rows sorted(table_.rows);
    std::iota(sorted.begin(), sorted.end(), 0u);
    std::sort(sorted.begin(), sorted.end(), [&](auto a, auto b) { return number(a) < number(b); });
    std::size_t distinct = 1;
    for (std::size_t i = 1; i < sorted.size(); ++i)
        distinct += number(sorted[i - 1]) < number(sorted[i]);
    const std::size_t least = distinct <= kBins ? 1 : (sorted.size() + kBins - 1) / kBins;
    std::size_t bin = 0, begin = 0;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        if (i > 0 && i - begin >= least && number(sorted[i - 1]) < number(sorted[i]))
            ++bin, begin = i;
        bins_[input * table_.rows + sorted[i]] = static_cast<std::uint8_t>(bin);
    }
}

void TreeGrower::grow(const std::vector<float>& residual, std::mt19937_64& random,
                      std::vector<Node>& nodes, std::vector<float>& leaves) {
    residual_ = residual.data();
    std::uniform_real_distribution<double> chance(0, 1);
    Rows rows;
    for (std::uint32_t i = 0; i < table_.rows; ++i)
        if (chance(random) < options_.row_share) rows.push_back(i);
    if (rows.empty()) rows.push_back(0);
    inputs_.clear();
    for (std::uint32_t i = 0; i < table_.inputs; ++i)
        if (chance(random) < options_.input_share) inputs_.push_back(i);
    if (inputs_.empty() && table_.inputs > 0) inputs_.push_back(0);
    split(rows, options_.depth, nodes, leaves);
}

void TreeGrower::add(const Rows& rows, std::size_t begin, std::size_t end, Sums& sums) const {
    add_outputs(sums.sum.data(), sums.count.data(), residual_, known_.data(), table_.outputs,
                rows.data() + begin, end - begin, rows.size() - begin);
}

void TreeGrower::split(const Rows& rows, int depth, std::vector<Node>& nodes,
                       std::vector<float>& leaves) {
    Sums all(table_.outputs);
    add(rows, 0, rows.size(), all);
    const Cut cut = depth > 0 ? best_cut(rows, all) : Cut{};
    if (cut.gain <= 0) {
        nodes.push_back({-1, static_cast<std::int32_t>(leaves.size() / table_.outputs), 0});
        for (std::size_t k = 0; k < table_.outputs; ++k)
            leaves.push_back(
                static_cast<float>(options_.rate * all.sum[k] / (all.count[k] + options_.shrink)));
        return;
    }
    Rows low, high;
    float below = -std::numeric_limits<float>::infinity(), above = -below;
    for (const std::uint32_t row : rows) {
        const float x = table_.x_of(row)[cut.input];
        if (bin_of(cut.input, row) <= cut.bin)
            low.push_back(row), below = std::max(below, x);
        else
            high.push_back(row), above = std::min(above, x);
    }
    const std::size_t here = nodes.size();
    // Between the two numbers, so that a matrix in between falls to the nearer.
    nodes.push_back({static_cast<std::int32_t>(cut.input), 0, below + (above - below) / 2});
    split(low, depth - 1, nodes, leaves);
    nodes[here].right = static_cast<std::int32_t>(nodes.size());
    split(high, depth - 1, nodes, leaves);
}

/// The cut that takes away most of the squared residuals, summed over the outputs.
TreeGrower::Cut TreeGrower::best_cut(const Rows& rows, const Sums& all) const {
    if (rows.size() < 2 * static_cast<std::size_t>(options_.least_rows)) return {};
    const Sums none(table_.outputs);
    const double before = explained(all.sum.data(), all.count.data(), none.sum.data(),
                                    none.count.data(), options_.shrink, table_.outputs);
    std::vector<Cut> cuts(inputs_.size());
    // Threads would take longer to meet than a small node needs.
    constexpr std::size_t kManyNumbers = 1 << 13;
#pragma omp parallel for schedule(dynamic, 4) if (rows.size() * cuts.size() > kManyNumbers)
    for (std::size_t i = 0; i < cuts.size(); ++i)
        cuts[i] = best_cut_of(inputs_[i], rows, all, before);
    Cut best;
    for (const Cut& cut : cuts)
        if (cut.gain > best.gain + kGain) best = cut;
    return best;
}

/// The same for one input. `before`: what is explained without a cut.
TreeGrower::Cut TreeGrower::best_cut_of(std::uint32_t input, const Rows& rows, const Sums& all,
                                        double before) const {
    std::array<std::uint32_t, kBins + 1> ends{};  // of each bin, among the rows in order of bins
    for (const std::uint32_t row : rows) ++ends[bin_of(input, row) + 1u];
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    thread_local Rows sorted;
    sorted.resize(rows.size());
    for (const std::uint32_t row : rows) sorted[ends[bin_of(input, row)]++] = row;

    const auto least = static_cast<std::size_t>(std::max(options_.least_rows, 1));
    Cut best;
    Sums left(table_.outputs);
    for (std::size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
        const std::uint8_t bin = bin_of(input, sorted[begin]);
        end = ends[bin];
        if (sorted.size() - end < least) break;
        add(sorted, begin, end, left);
        if (end < least) continue;
        const double gain = explained(all.sum.data(), all.count.data(), left.sum.data(),
                                      left.count.data(), options_.shrink, table_.outputs) -
                            before;
        if (gain > best.gain + kGain) best = {gain, input, bin};
    }
    return best;
}

}  // namespace sptune::models
