// Growing the trees of tree_model.hpp and the networks beside them, from sweeps.
#include "matrix/error.hpp"
#include "matrix/parallel.hpp"
#include "models/behind.hpp"
#include "models/folds.hpp"
#include "models/inputs.hpp"
#include "models/roofline.hpp"
#include "models/starting.hpp"
#include "models/tree_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <limits>
#include <mutex>
#include <set>

namespace sptune::models {
namespace {

constexpr double kClose = 1.05;  ///< of the best: a hit

Table table_of(const std::vector<const Sample*>& samples, std::size_t outputs) {
    Table t;
    t.rows = samples.size(), t.inputs = input_names().size(), t.outputs = outputs;
    t.x.reserve(t.rows * t.inputs);
    for (const Sample* s : samples) {
        const auto x = inputs(s->features, s->device, s->value);
        t.x.insert(t.x.end(), x.begin(), x.end());
    }
    t.y.assign(t.rows * outputs, std::numeric_limits<float>::quiet_NaN());
    return t;
}

/// Each sweep as often as it counts: from the second time on as it would be where threads start
/// sooner or later, so that it says more than before.
class Weighted {
  public:
    Weighted(const std::vector<const Sample*>& samples, const std::vector<Weight>& weights) {
        for (const Sample* s : samples) {
            const auto own = std::find_if(weights.begin(), weights.end(), [&](const Weight& w) {
                return matches(s->device.key, w.device);
            });
            const int times = s->times * (own == weights.end() ? 1 : own->times);
            for (int i = 0; i < times; ++i) list_.push_back(i == 0 ? s : other(s));
        }
    }
    Weighted(const Weighted&) = delete;  // the list points to what was made
    Weighted& operator=(const Weighted&) = delete;
    const std::vector<const Sample*>& list() const { return list_; }

  private:
    const Sample* other(const Sample* s) {
        constexpr std::array kFactors{0.4, 1.6, 0.65, 2.5};
        auto made = at_other_start(*s, kFactors[made_.size() % kFactors.size()]);
        if (!made) return s;
        made_.push_back(std::move(*made));
        return &made_.back();
    }
    std::deque<Sample> made_;
    std::vector<const Sample*> list_;
};

/// The member that the model takes where all that was measured is on offer.
const Timed* pick(const TreeModel& model, const Sample& s) {
    std::vector<Option> options;
    for (const Timed& t : s.timed) options.push_back({&t.variant, 0});
    const auto predictions = model.predict(s.features, s.device, options);
    const auto best = std::min_element(predictions.begin(), predictions.end(),
                                       [](auto& a, auto& b) { return a.time_us < b.time_us; });
    return &s.timed[static_cast<std::size_t>(best - predictions.begin())];
}

std::vector<HitRate> hit_rates(const std::vector<const Sample*>& samples, TreeOptions options) {
    const int folds = options.folds;
    options.folds = 0;
    options.network.count = 1;                                // others change little of it
    std::map<std::string, std::pair<double, double>> counts;  // hits, all
    std::mutex mutex;
    parallel_for(thread_count(0), static_cast<std::size_t>(folds), [&](int, std::size_t i) {
        const Fold fold = fold_of(samples, folds, static_cast<int>(i));
        if (fold.train.empty() || fold.test.empty()) return;  // of few families; a step less
        const TreeModel model = TreeModel::train(fold.train, options);
        const std::lock_guard lock(mutex);
        for (const Sample* s : fold.test) {
            const Timed* chosen = pick(model, *s);
            double best = chosen->us;
            for (const Timed& t : s->timed) best = std::min(best, t.us);
            auto& [hits, all] = counts[chosen->variant.format];
            hits += chosen->us <= kClose * best, all += 1;
        }
    });
    std::vector<HitRate> rates;
    // Few cases say little: the rule of succession.
    for (const auto& [format, c] : counts)
        rates.push_back({format, (c.first + 1) / (c.second + 2)});
    return rates;
}

}  // namespace

TreeOptions usual_options(Backend backend) {
    TreeOptions o;
    o.forest.trees = 200, o.forest.rate = 0.06;
    o.choice.trees = 40;
    o.network.share = 0.7, o.network.count = 3;
    if (backend == Backend::cuda) {
        o.forest.trees = 150, o.forest.depth = 7, o.forest.rate = 0.08;
        o.choice.step = 0.2;
        o.network.share = 0.4, o.network.count = 1;
        o.portfolio.most = 100, o.portfolio.least_blocks = true;
    }
    return o;
}

TreeModel TreeModel::train(const std::vector<const Sample*>& all, const TreeOptions& options) {
    const Weighted weighted(all, options.weights);
    const std::vector<const Sample*>& samples = weighted.list();
    if (samples.empty()) throw Error("trees: there is nothing to learn from");
    const std::vector<std::string> names = choose_portfolio(all, options.portfolio);
    Table times = table_of(samples, names.size()), sides = table_of(samples, names.size() + 1);
    Behind behind = behind_best(samples, names);
    times.y = std::move(behind.squeezed);
    Parts parts;
    parts.backend = samples.front()->backend();
    std::set<std::string> keys;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const Sample& s = *samples[i];
        keys.insert(s.device.key);
        auto& curve = parts.bandwidths[s.device.key];
        if (curve.empty()) curve = s.device.bandwidth_curve;
        const auto list = portfolio_times(s, names);
        float* side = &sides.y[i * sides.outputs];
        const double csr = s.baseline_us(), start = start_us(s.device);
        const double stream = streaming_us(s.features, s.device, s.value);
        side[0] = static_cast<float>(parts.backend == Backend::cpu
                                         ? std::log(std::max(csr - start, 0.1 * csr) / stream)
                                         : std::log(csr / (start + stream)));
        for (std::size_t k = 0; k < list.size(); ++k)
            if (list[k] && !list[k]->bounded)
                side[k + 1] = static_cast<float>(
                    std::log((list[k]->convert_us + 0.01 * s.baseline_us()) / s.baseline_us()));
    }
    parts.device_keys.assign(keys.begin(), keys.end());
    parts.portfolio = portfolio_variants(samples, names);
    parts.times = Forest::train(times, options.forest, behind.log, options.choice);
    parts.sides = Forest::train(sides, options.side);
    if (options.network.share > 0 && all.size() >= options.network.least_samples) {
        const Moving moving(parts.portfolio);
        for (const Sample* s : samples) {
            const auto known = moving.behind(s->features, s->device, s->value);
            times.known.insert(times.known.end(), known.begin(), known.end());
        }
        parts.networks.resize(static_cast<std::size_t>(options.network.count));
        parallel_for(thread_count(0), parts.networks.size(), [&](int, std::size_t i) {
            NetworkOptions own = options.network;
            own.seed += i;
            parts.networks[i] = Network::train(times, behind.log, own);
        });
        parts.network_share = options.network.share;
    }
    if (options.step) options.step();
    if (options.folds > 1) parts.hits = hit_rates(all, options);
    return TreeModel(std::move(parts));
}

}  // namespace sptune::models
