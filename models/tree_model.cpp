#include "models/tree_model.hpp"

#include "matrix/error.hpp"
#include "models/behind.hpp"
#include "models/exponentials.hpp"
#include "models/heuristic.hpp"
#include "models/holding.hpp"
#include "models/inputs.hpp"
#include "models/least_block.hpp"
#include "models/roofline.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace sptune::models {
namespace {

constexpr double kUnknownDevice = 0.6;  ///< of the confidence on a device it was not trained on

/// A device's key in two: of a CPU "maker-model-cache" and its threads, else all of it and 0.
std::pair<std::string_view, int> name_and_threads(std::string_view key) {
    const std::size_t dash = key.rfind('-');
    int threads = 0;
    if (dash == key.npos || !key.ends_with('t')) return {key, 0};
    const char *const from = key.data() + dash + 1, *const to = key.data() + key.size() - 1;
    const auto [end, error] = std::from_chars(from, to, threads);
    if (error != std::errc() || end != to || threads < 1) return {key, 0};
    return {key.substr(0, dash), threads};
}

/// Stands in for the bandwidths of the device with this key: those of one of the same maker with as
/// many threads, or as similar a number as there is, and of these the one whose name is most alike.
/// Of fewer threads each is taken to have its share. Empty where there is none of this maker.
std::vector<db::BandwidthPoint> stand_in_for(
    const std::map<std::string, std::vector<db::BandwidthPoint>>& curves, std::string_view key) {
    const auto [name, threads] = name_and_threads(key);
    const std::size_t maker = std::min(name.find('-'), name.size() - 1);
    std::pair<double, std::ptrdiff_t> least;
    const std::vector<db::BandwidthPoint>* found = nullptr;
    int its_threads = 0;
    for (const auto& [other_key, curve] : curves) {
        const auto [other, others] = name_and_threads(other_key);
        const auto begin = std::ranges::mismatch(name, other).in1 - name.begin();
        if (curve.empty() || static_cast<std::size_t>(begin) <= maker) continue;
        const auto end = std::mismatch(name.rbegin(), name.rend(), other.rbegin(), other.rend());
        const double apart =
            std::abs(std::log2(std::max(threads, 1)) - std::log2(std::max(others, 1)));
        const std::pair now(apart, -(begin + (end.first - name.rbegin())));
        if (!found || now < least) least = now, found = &curve, its_threads = others;
    }
    if (!found) return {};
    std::vector<db::BandwidthPoint> curve = *found;
    if (threads > 0 && threads < its_threads)
        for (db::BandwidthPoint& p : curve) p.gbs *= 1.0 * threads / its_threads;
    return curve;
}

}  // namespace

TreeModel::TreeModel(Parts parts) : parts_(std::move(parts)), moving_(parts_.portfolio) {
    const std::size_t kernels = parts_.portfolio.size(), inputs = input_names().size();
    if (kernels == 0) throw Error("trees: the portfolio is empty");
    if (kernels >= 0xffff) throw Error("trees: the portfolio has more kernels than place_of() has");
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
    const auto as_first = [&](const Network& n) {
        return n.scales() == parts_.networks.front().scales();
    };
    one_scale_ = std::all_of(parts_.networks.begin(), parts_.networks.end(), as_first);
    for (std::size_t i = 0; i < kernels; ++i) {
        const Variant& v = parts_.portfolio[i];
        if (!index_.emplace(short_hash(v), i).second)
            throw Error(fmt::format("trees: {} is twice in the portfolio", short_name(v)));
        in_place_.push_back(typical_convert_us(v, 1) == 0);
        layouts_.push_back(layout_of(v));
    }
    for (const Variant& v : parts_.portfolio) {
        Variant all = v;
        for (Param& p : all.params)
            if (p.name == "w") p.value = kAll;
        auto found = index_.find(short_hash(all));
        if (found == index_.end() && v.format == "csr") {  // plans begin with equal shares
            all.algorithm = "balanced";
            std::erase_if(all.params, [](const Param& p) { return p.name == "w"; });
            found = index_.find(short_hash(all));
        }
        const bool rows_apart = v.format == "bsr" || v.format == "csr" || v.format == "dia" ||
                                v.format == "ell" || v.format == "hdia" || v.format == "hyb";
        const bool alone = rows_apart && param_or(v.params, "w", kAll) == 1;
        for_all_threads_.push_back(alone && found != index_.end() ? found->second : kNoPlace);
    }
}

bool TreeModel::covers(Op op, ValueType, const db::Device& device) const {
    const auto& keys = parts_.device_keys;
    return op == Op::spmv && device.backend == to_string(parts_.backend) &&
           (!parts_.for_these_alone ||
            std::find(keys.begin(), keys.end(), device.key) != keys.end());
}

/// In 16 bits one more than the place in the portfolio of the kernel itself, in the next 16 one
/// more than that of the kernel with the least block, which it may turn out to be; 0 for none.
/// Above, the size of its blocks.
std::uint64_t TreeModel::place_of(const Variant& v) const {
    if (v.op != Op::spmv || v.backend != parts_.backend) return 0;
    const auto place = [&](std::uint64_t hash) {
        const auto found = index_.find(hash);
        return found == index_.end() ? 0 : std::uint64_t{found->second} + 1;
    };
    const std::uint64_t own = place(short_hash(v));
    if (!has_blocks(v)) return own;
    const std::uint64_t role = place(least_block_hash(v));
    return own | role << 16 | (own || role ? block_size_number(v) << 32 : 0);
}

bool TreeModel::knows(const Variant& v) const {
    return place_of(v) != 0;
}

std::span<const db::BandwidthPoint> TreeModel::bandwidths_of(const db::Device& device) const {
    const auto found = parts_.bandwidths.find(device.key);
    if (found == parts_.bandwidths.end()) return {};
    return found->second;
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
        const std::uint64_t own = place & 0xffff, role = place >> 16 & 0xffff;
        if (own > parts_.portfolio.size() || role > parts_.portfolio.size())
            throw Error("trees: a place of another model");
        if (own > 0) places[i].own = own - 1;
        if (role == 0) continue;
        Least& now = least[role - 1];
        const double here = bytes.of(v, place >> 32);
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
        Layout layout = layouts_[k];
        layout.value = options.front().variant->value == ValueType::f64 ? 8 : 4;
        if (estimated_bytes(features, layout) < kWorkForAll) continue;
        Prediction& alone = out[at[k]];
        alone.time_us = std::max(alone.time_us, 1.01 * out[at[all]].time_us);
    }
}

double TreeModel::plain_us(const Features& f, const db::Device& device, ValueType value,
                           double multiple) const {
    const bool measured = !device.bandwidth_curve.empty() || device.bandwidth_gbs > 0;
    db::Device stand_in;
    if (!measured) {
        stand_in = device;
        stand_in.bandwidth_curve = stand_in_for(parts_.bandwidths, device.key);
    }
    const double stream = streaming_us(f, measured ? device : stand_in, value);
    if (parts_.backend == Backend::cpu) return start_us(device) + multiple * stream;
    return multiple * (start_us(device) + stream);
}

std::vector<float> TreeModel::behind_of(const Features& features, const db::Device& device,
                                        ValueType value, const std::vector<float>& x) const {
    std::vector<float> behind = parts_.times.predict(x);
    if (parts_.network_share == 0) return behind;
    const std::vector<float> known = moving_.behind(features, device, value);
    std::vector<float> one(behind.size()), sum(behind.size());
    std::vector<float> scaled;
    for (std::size_t n = 0; n < parts_.networks.size(); ++n) {
        const Network& network = parts_.networks[n];
        if (n == 0 || !one_scale_) scaled = network.scaled(x.data());
        network.predict(scaled, known.data(), one.data());
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
    // Of each kernel its time over that of plain CSR, then its conversion.
    const std::size_t kernels = behind.size();
    std::vector<float> multiples(2 * kernels);
    const double csr_behind = unsqueeze(behind[0]);
    for (std::size_t k = 0; k < kernels; ++k)
        multiples[k] = static_cast<float>(unsqueeze(behind[k]) - csr_behind);
    std::copy_n(sides.begin() + 1, kernels,
                multiples.begin() + static_cast<std::ptrdiff_t>(kernels));
    exponentiate(multiples);
    const std::vector<Places> places = places_of(features, options);
    for (std::size_t i = 0; i < options.size(); ++i)
        for (const std::size_t k : {places[i].own, places[i].least_block}) {
            if (k == kNoPlace) continue;
            const double us = csr_us * multiples[k];
            if (!(us < out[i].time_us)) continue;  // nor what is not a number
            const double convert = multiples[kernels + k] - 0.01;
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
