#include "models/tree_model.hpp"

#include "matrix/error.hpp"
#include "matrix/parallel.hpp"
#include "models/behind.hpp"
#include "models/folds.hpp"
#include "models/heuristic.hpp"
#include "models/holding.hpp"
#include "models/inputs.hpp"
#include "models/least_block.hpp"
#include "models/starting.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <limits>
#include <mutex>
#include <set>

#include <fmt/format.h>

namespace sptune::models {
namespace {

constexpr double kUnknownDevice = 0.6;  ///< of the confidence on a device it was not trained on
constexpr double kClose = 1.05;         ///< of the best: a hit

/// What plain CSR's arrays take at the measured bandwidth.
double streaming_us(const Features& f, const db::Device& device, ValueType value) {
    Variant csr;
    csr.format = "csr", csr.value = value;
    const auto bytes = static_cast<double>(estimated_bytes(f, csr));
    return bytes / bandwidth_gbs(device, bytes) / 1e3;
}

/// What a call of plain CSR takes before that.
double start_us(const db::Device& device) {
    if (device.backend != "cpu") return std::max(device.launch_us, 0.5);
    return device.threads > 1 ? start_or_usual_us(device) : 0;
}

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
            const int times = own == weights.end() ? 1 : own->times;
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

TreeModel::TreeModel(Parts parts) : parts_(std::move(parts)), moving_(parts_.portfolio) {
    const std::size_t kernels = parts_.portfolio.size(), inputs = input_names().size();
    if (kernels == 0) throw Error("trees: the portfolio is empty");
    if (parts_.times.outputs() != kernels || parts_.sides.outputs() != kernels + 1 ||
        parts_.times.inputs() > inputs || parts_.sides.inputs() > inputs)
        throw Error("trees: the forests do not match the portfolio or the inputs");
    const auto fits = [&](const Network& n) {
        return n.outputs() == kernels && n.inputs() <= inputs;
    };
    if (!(parts_.network_share >= 0 && parts_.network_share <= 1) ||
        (parts_.network_share > 0 && parts_.networks.empty()) ||
        !std::all_of(parts_.networks.begin(), parts_.networks.end(), fits))
        throw Error("trees: the network does not match the portfolio or the inputs");
    for (std::size_t i = 0; i < kernels; ++i) {
        const Variant& v = parts_.portfolio[i];
        if (!index_.emplace(short_hash(v), i).second)
            throw Error(fmt::format("trees: {} is twice in the portfolio", short_name(v)));
        in_place_.push_back(typical_convert_us(v, 1) == 0);
    }
    for (const Variant& v : parts_.portfolio) {
        Variant all = v;
        for (Param& p : all.params)
            if (p.name == "w") p.value = kAll;
        const auto found = index_.find(short_hash(all));
        const bool rows_apart = v.format == "bsr" || v.format == "dia" || v.format == "ell" ||
                                v.format == "hdia" || v.format == "hyb";
        const bool alone = rows_apart && param_or(v.params, "w", kAll) == 1;
        for_all_threads_.push_back(alone && found != index_.end() ? found->second : kNoPlace);
    }
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
    parts.start_apart = parts.backend == Backend::cpu;
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
        side[0] = static_cast<float>(parts.start_apart
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

bool TreeModel::covers(Op op, ValueType, const db::Device& device) const {
    const auto& keys = parts_.device_keys;
    return op == Op::spmv && device.backend == to_string(parts_.backend) &&
           (!parts_.for_these_alone ||
            std::find(keys.begin(), keys.end(), device.key) != keys.end());
}

/// One more than the place in the portfolio of the kernel itself, and one more than that of the
/// kernel with the least block, which it may turn out to be, in the upper half; 0 for none.
std::uint64_t TreeModel::place_of(const Variant& v) const {
    if (v.op != Op::spmv || v.backend != parts_.backend) return 0;
    const auto place = [&](std::uint64_t hash) {
        const auto found = index_.find(hash);
        return found == index_.end() ? 0 : std::uint64_t{found->second} + 1;
    };
    return place(short_hash(v)) | (has_blocks(v) ? place(least_block_hash(v)) << 32 : 0);
}

bool TreeModel::knows(const Variant& v) const {
    return place_of(v) != 0;
}

/// For each option its places in the portfolio: its own, and that of the least block where it is
/// the one.
std::vector<TreeModel::Places> TreeModel::places_of(const Features& features,
                                                    std::span<const Option> options) const {
    std::vector<Places> places(options.size());
    struct Least {
        std::size_t option = kNoPlace;
        double bytes = std::numeric_limits<double>::infinity();
    };
    std::vector<Least> least(parts_.portfolio.size());
    BlockBytes bytes(features);
    for (std::size_t i = 0; i < options.size(); ++i) {
        const Variant& v = *options[i].variant;
        const std::uint64_t place = options[i].place ? options[i].place : place_of(v);
        const std::uint64_t own = place & 0xffffffff, role = place >> 32;
        if (own > parts_.portfolio.size() || role > parts_.portfolio.size())
            throw Error("trees: a place of another model");
        if (own > 0) places[i].own = own - 1;
        if (role == 0) continue;
        Least& now = least[role - 1];
        const double here = bytes.of(v);
        if (now.option == kNoPlace || here < now.bytes) now = {i, here};
    }
    for (std::size_t k = 0; k < least.size(); ++k)
        if (least[k].option != kNoPlace) places[least[k].option].least_block = k;
    return places;
}

/// In formats whose threads share no line of y but at their borders, one thread alone is hardly
/// ever faster once there is work for all: from a megabyte on the training's sweeps have it at 1.07
/// times and more at the 5th percentile, at 0.74 to 1.21 at the 1st. Sweeps leave it out of large
/// matrices as hopeless, so that a model learns little of it and may expect anything.
void TreeModel::let_all_threads_work(const Features& features, const std::vector<Places>& places,
                                     std::span<const Option> options,
                                     std::vector<Prediction>& out) const {
    constexpr std::uint64_t kWorkForAll = 1 << 20;
    std::vector<std::size_t> at(parts_.portfolio.size(), kNoPlace);
    for (std::size_t i = 0; i < options.size(); ++i)
        if (places[i].own != kNoPlace) at[places[i].own] = i;
    for (std::size_t k = 0; k < at.size(); ++k) {
        const std::size_t all = for_all_threads_[k];
        if (at[k] == kNoPlace || all == kNoPlace || at[all] == kNoPlace) continue;
        if (estimated_bytes(features, parts_.portfolio[k]) < kWorkForAll) continue;
        Prediction& alone = out[at[k]];
        alone.time_us = std::max(alone.time_us, 1.01 * out[at[all]].time_us);
    }
}

double TreeModel::plain_us(const Features& f, const db::Device& device, ValueType value,
                           double multiple) const {
    db::Device stand_in;
    const bool measured = !device.bandwidth_curve.empty() || device.bandwidth_gbs > 0;
    const auto like = measured ? parts_.bandwidths.end() : parts_.bandwidths.find(device.key);
    if (like != parts_.bandwidths.end()) {
        stand_in = device;
        stand_in.bandwidth_curve = like->second;
    }
    const double stream =
        streaming_us(f, like == parts_.bandwidths.end() ? device : stand_in, value);
    if (parts_.start_apart) return start_us(device) + multiple * stream;
    return multiple * ((parts_.backend == Backend::cpu ? 0.5 : start_us(device)) + stream);
}

std::vector<float> TreeModel::behind_of(const Features& features, const db::Device& device,
                                        ValueType value, const std::vector<float>& x) const {
    std::vector<float> behind = parts_.times.predict(x);
    if (parts_.network_share == 0) return behind;
    std::vector<float> known;
    if (!parts_.networks.front().gains().empty()) known = moving_.behind(features, device, value);
    std::vector<float> one(behind.size()), sum(behind.size());
    for (const Network& network : parts_.networks) {
        network.predict(x.data(), known.data(), one.data());
        for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += one[k];
    }
    const auto share = static_cast<float>(parts_.network_share);
    const auto count = static_cast<float>(parts_.networks.size());
    for (std::size_t k = 0; k < behind.size(); ++k)
        behind[k] += share * (sum[k] / count - behind[k]);
    return behind;
}

std::vector<Prediction> TreeModel::predict(const Features& features, const db::Device& device,
                                           std::span<const Option> options) const {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    std::vector<Prediction> out(options.size(), {kNever, kNever});
    if (options.empty()) return out;
    const ValueType value = options.front().variant->value;
    const auto x = inputs(features, device, value);
    const auto behind = behind_of(features, device, value, x), sides = parts_.sides.predict(x);
    const double csr_us = plain_us(features, device, value, std::exp(sides[0]));
    const double csr_behind = unsqueeze(behind[0]);
    const std::vector<Places> places = places_of(features, options);
    for (std::size_t i = 0; i < options.size(); ++i)
        for (const std::size_t k : {places[i].own, places[i].least_block}) {
            if (k == kNoPlace) continue;
            const double us = csr_us * std::exp(unsqueeze(behind[k]) - csr_behind);
            if (us >= out[i].time_us) continue;
            const double convert = std::exp(sides[k + 1]) - 0.01;
            out[i] = {us, in_place_[k] ? 0 : csr_us * std::max(convert, 0.0)};
        }
    if (device.threads > 1 && parts_.backend == Backend::cpu)
        let_all_threads_work(features, places, options, out);
    return out;
}

double TreeModel::confidence(const Variant& chosen, const Features&,
                             const db::Device& device) const {
    double share = 0.5;
    for (const HitRate& hit : parts_.hits)
        if (hit.format == chosen.format) share = hit.share;
    const auto& keys = parts_.device_keys;
    const bool known = std::find(keys.begin(), keys.end(), device.key) != keys.end();
    return known ? share : kUnknownDevice * share;
}

}  // namespace sptune::models
