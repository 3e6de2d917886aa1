#include "models/bestsf.hpp"

#include "matrix/error.hpp"
#include "matrix/memory.hpp"
#include "matrix/parallel.hpp"
#include "models/heuristic.hpp"
#include "models/inputs.hpp"
#include "models/portfolio.hpp"
#include "models/roofline.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

namespace sptune::models {
namespace {

constexpr std::size_t kDimensions = 11;
constexpr std::size_t kKernels = 6;    ///< kept of each format
constexpr double kMostCost = 4;        ///< a choice five times too slow is as bad as it gets
constexpr double kRunnerUpCost = 1.5;  ///< of each place behind the winner

/// Sizes differ by orders of magnitude: logarithms, then 0 to 1 over the training set.
std::vector<float> logarithms(const Features& f) {
    std::vector<float> out;
    for (const double v : bestsf_inputs(f))
        out.push_back(static_cast<float>(std::log1p(std::max(v, 0.0))));
    // A density is below 1, where log(1 + v) tells nothing.
    out[4] = static_cast<float>(std::log10(std::max(bestsf_inputs(f)[4], 1e-12)));
    return out;
}

std::vector<float> scaled(const Features& f, const std::vector<float>& low,
                          const std::vector<float>& high) {
    std::vector<float> x = logarithms(f);
    for (std::size_t k = 0; k < x.size(); ++k)
        x[k] = high[k] > low[k] ? (x[k] - low[k]) / (high[k] - low[k]) : 0;
    return x;
}

/// The best time of each format on each sample; infinite where it has none.
using FormatTimes = std::vector<std::map<std::string, double>>;

FormatTimes best_of_formats(const std::vector<const Sample*>& samples) {
    FormatTimes times(samples.size());
    for (std::size_t i = 0; i < samples.size(); ++i)
        for (const Timed& t : samples[i]->timed) {
            if (t.variant.vendor) continue;
            const auto [at, fresh] = times[i].emplace(t.variant.format, t.us);
            at->second = std::min(at->second, t.us);
        }
    return times;
}

/// Kernels of one format by their mean log distance from its best, over the samples where the
/// format is any good; absence counts as a factor of two.
BestSf::Choice choice_of(const std::string& format, const std::vector<const Sample*>& samples,
                         const FormatTimes& times) {
    struct Score {
        Variant variant;
        double log_sum = 0, count = 0;
    };
    std::map<std::string, Score> scores;
    double relative = 0, wins = 0, considered = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const auto best = times[i].find(format);
        if (best == times[i].end()) continue;
        double overall = best->second;
        for (const auto& [name, us] : times[i]) overall = std::min(overall, us);
        if (best->second > 1.3 * overall) continue;
        considered += 1;
        if (best->second == overall)
            relative += std::log(best->second / samples[i]->baseline_us()), wins += 1;
        for (const Timed& t : samples[i]->timed) {
            if (t.variant.format != format || t.variant.vendor) continue;
            Score& score = scores[short_name(t.variant)];
            score.variant = t.variant;
            score.log_sum += std::min(std::log(t.us / best->second), 1.0), score.count += 1;
        }
    }
    std::vector<std::pair<double, const Score*>> order;
    for (const auto& [name, score] : scores)
        order.emplace_back(score.log_sum + (considered - score.count) * std::log(2.0), &score);
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    BestSf::Choice choice{format, {}, wins > 0 ? std::exp(relative / wins) : 1};
    for (std::size_t k = 0; k < std::min(order.size(), kKernels); ++k)
        choice.kernels.push_back(order[k].second->variant);
    return choice;
}

/// Which of two formats is faster where, and what the wrong one costs.
struct Contest {
    std::vector<float> points;
    std::vector<int> labels;
    std::vector<double> weights;

    void add(const std::vector<float>& point, const std::map<std::string, double>& times,
             const std::string& a, const std::string& b) {
        const auto first = times.find(a), second = times.find(b);
        const bool has_first = first != times.end(), has_second = second != times.end();
        if (!has_first && !has_second) return;
        // A format that cannot hold the matrix loses by the most.
        const double ratio = !has_first    ? 1 + kMostCost
                             : !has_second ? 1 / (1 + kMostCost)
                                           : first->second / second->second;
        points.insert(points.end(), point.begin(), point.end());
        labels.push_back(ratio <= 1 ? 1 : -1);
        weights.push_back(std::min(std::max(ratio, 1 / ratio) - 1, kMostCost));
    }
};

/// Of `count` sweeps at most kMostPoints, spread evenly over all of them. A support vector machine
/// takes their square in time and memory, and with more it became no better.
std::vector<std::size_t> points_of(std::size_t count) {
    constexpr std::size_t kMostPoints = 4000;
    std::vector<std::size_t> list(std::min(count, kMostPoints));
    for (std::size_t k = 0; k < list.size(); ++k) list[k] = k * count / list.size();
    return list;
}

int pairs_at_once(std::size_t samples, int threads) {
    const std::uint64_t room = available_memory() / 2 / (Svm::training_bytes(samples) + 1);
    return static_cast<int>(
        std::clamp<std::uint64_t>(room, 1, static_cast<std::uint64_t>(threads)));
}

}  // namespace

BestSf::BestSf(Parts parts) : parts_(std::move(parts)) {
    if (parts_.low.size() != kDimensions || parts_.high.size() != kDimensions)
        throw Error("bestsf: expected the ranges of 11 features");
    if (parts_.choices.empty()) throw Error("bestsf: there is no format to vote for");
    for (const Choice& c : parts_.choices)
        if (!std::isfinite(c.relative) || c.relative <= 0)
            throw Error("bestsf: a relative time is not positive");
    for (const Pair& p : parts_.pairs)
        if (p.first >= parts_.choices.size() || p.second >= parts_.choices.size() ||
            p.svm.dimensions() != kDimensions)
            throw Error("bestsf: a pair does not match the formats");
    for (std::size_t c = 0; c < parts_.choices.size(); ++c)
        for (std::size_t k = 0; k < parts_.choices[c].kernels.size(); ++k)
            places_.emplace(short_hash(parts_.choices[c].kernels[k]), Place{c, k});
}

BestSf BestSf::train(const std::vector<const Sample*>& samples, int threads,
                     const SvmOptions& options) {
    if (samples.empty()) throw Error("bestsf: there is nothing to learn from");
    Parts parts;
    parts.backend = samples.front()->backend();
    parts.low.assign(kDimensions, std::numeric_limits<float>::max());
    parts.high.assign(kDimensions, std::numeric_limits<float>::lowest());
    for (const Sample* s : samples) {
        const auto x = logarithms(s->features);
        for (std::size_t k = 0; k < kDimensions; ++k) {
            parts.low[k] = std::min(parts.low[k], x[k]);
            parts.high[k] = std::max(parts.high[k], x[k]);
        }
    }
    const FormatTimes times = best_of_formats(samples);
    std::set<std::string> formats;
    for (const auto& row : times)
        for (const auto& [format, us] : row) formats.insert(format);
    for (const std::string& format : formats) {
        Choice choice = choice_of(format, samples, times);
        if (!choice.kernels.empty()) parts.choices.push_back(std::move(choice));
    }
    std::vector<Pair> pairs;
    for (std::size_t a = 0; a < parts.choices.size(); ++a)
        for (std::size_t b = a + 1; b < parts.choices.size(); ++b) pairs.push_back({a, b, {}});
    const std::vector<std::size_t> chosen = points_of(samples.size());
    std::vector<std::vector<float>> points;
    for (const std::size_t i : chosen)
        points.push_back(scaled(samples[i]->features, parts.low, parts.high));
    parallel_for(pairs_at_once(chosen.size(), threads), pairs.size(), [&](int, std::size_t p) {
        Contest contest;
        for (std::size_t k = 0; k < chosen.size(); ++k)
            contest.add(points[k], times[chosen[k]], parts.choices[pairs[p].first].format,
                        parts.choices[pairs[p].second].format);
        if (contest.labels.empty()) return;
        pairs[p].svm =
            Svm::train(kDimensions, contest.points, contest.labels, contest.weights, options);
    });
    for (Pair& p : pairs)
        if (p.svm.dimensions() > 0) parts.pairs.push_back(std::move(p));
    return BestSf(std::move(parts));
}

bool BestSf::covers(Op op, ValueType, const db::Device& device) const {
    return op == Op::spmv && device.backend == to_string(parts_.backend);
}

bool BestSf::knows(const Variant& v) const {
    if (v.op != Op::spmv || v.backend != parts_.backend) return false;
    return places_.contains(short_hash(v));
}

std::vector<int> BestSf::votes(const Features& features) const {
    std::vector<int> count(parts_.choices.size());
    const auto x = scaled(features, parts_.low, parts_.high);
    for (const Pair& p : parts_.pairs) ++count[p.svm.decide(x) > 0 ? p.first : p.second];
    return count;
}

std::vector<Prediction> BestSf::predict(const Features& features, const db::Device& device,
                                        std::span<const Option> options) const {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    std::vector<Prediction> out(options.size(), {kNever, kNever});
    const std::vector<int> count = votes(features);
    std::vector<std::size_t> order(count.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return count[a] > count[b]; });
    const ValueType value = options.empty() ? ValueType::f64 : options.front().variant->value;
    const double csr_us = start_us(device) + streaming_us(features, device, value);
    std::vector<double> behind(order.size());
    for (std::size_t place = 0; place < order.size(); ++place)
        behind[order[place]] = std::pow(kRunnerUpCost, static_cast<double>(place));
    for (std::size_t i = 0; i < options.size(); ++i) {
        const Variant& v = *options[i].variant;
        const auto known = places_.find(short_hash(v));
        if (known == places_.end()) continue;
        const auto [choice, rank] = known->second;
        out[i] = {csr_us * parts_.choices[order[0]].relative * behind[choice] *
                      (1 + 0.01 * static_cast<double>(rank)),
                  typical_convert_us(v, csr_us)};
    }
    return out;
}

double BestSf::confidence(const Variant&, const Features& features, const db::Device&) const {
    const std::vector<int> count = votes(features);
    if (count.size() < 2) return 0.5;
    return static_cast<double>(*std::max_element(count.begin(), count.end())) /
           static_cast<double>(count.size() - 1);
}

}  // namespace sptune::models
