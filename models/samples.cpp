#include "models/samples.hpp"

#include "db/knowledge.hpp"
#include "models/heuristic.hpp"
#include "models/least_block.hpp"
#include "models/one_value.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <tuple>
#include <utility>

namespace sptune::models {
namespace {

/// What a GPU takes by itself, since what launches add is reckoned (models/launching.hpp). There
/// disturbances only ever add time. The speed of a CPU changes both ways, and the least of
/// many samples would be that of the luckiest moment.
double measured_us(const db::Candidate& c) {
    if (c.device_us && *c.device_us > 0) return std::max(*c.device_us, 1e-3);
    const bool least = c.backend == "cuda" && c.time->min > 0;
    return std::max(least ? c.time->min : c.time->median, 1e-3);
}

/// Models learn of stored values.
double us_of(const Variant& v, const db::Candidate& c, const db::Entry& entry) {
    return measured_us(c) / (db::had_one_value(entry) ? one_value_share(v, entry.features) : 1);
}

Variant variant_of(const db::Candidate& c, const db::Entry& entry) {
    Variant v;
    v.op = entry.op;
    v.backend = c.backend == "cuda" ? Backend::cuda : Backend::cpu;
    v.format = c.format, v.algorithm = c.algorithm, v.params = c.params;
    v.value = entry.value, v.index = entry.index;
    v.deterministic = c.deterministic, v.vendor = c.vendor, v.kernel_hash = c.kernel_hash;
    return v;
}

}  // namespace

std::string short_name(const Variant& v) {
    std::string name = v.format;
    name.append(".").append(v.algorithm);
    if (!v.params.empty()) name.append(".").append(to_string(v.params));
    return name;
}

std::string hash_name(const Variant& v) {
    return v.op == Op::spgemm ? "spgemm/" + v.format : v.format;
}

std::string name_without(const Variant& v, std::string_view params) {
    std::string name = v.format + "." + v.algorithm + "." + std::string(params);
    for (const Param& p : v.params)
        if (p.name.view().size() != 1 || params.find(p.name) == std::string_view::npos)
            name.append(".").append(p.name.view()).append(std::to_string(p.value));
    return name;
}

std::string group_of(const std::string& matrix) {
    if (const auto dashes = matrix.find("--"); dashes != std::string::npos && dashes > 0)
        return matrix.substr(0, dashes);
    const auto letters = std::find_if_not(matrix.begin(), matrix.end(),
                                          [](unsigned char ch) { return std::isalpha(ch) != 0; });
    return letters - matrix.begin() >= 2 ? std::string(matrix.begin(), letters) : matrix;
}

std::vector<Timed> least_blocks(const Features& features, const std::vector<Timed>& timed) {
    BlockBytes bytes(features);
    std::map<std::string, const Timed*> least;
    for (const Timed& t : timed) {
        if (!has_blocks(t.variant)) continue;
        const auto [at, fresh] = least.emplace(short_name(with_least_block(t.variant)), &t);
        if (!fresh && bytes.of(t.variant) < bytes.of(at->second->variant)) at->second = &t;
    }
    std::vector<Timed> list;
    for (const auto& [name, t] : least) {
        list.push_back(*t);
        list.back().variant = with_least_block(t->variant);
    }
    return list;
}

std::optional<Sample> sample_of(const db::Entry& entry) {
    if (entry.matrix.nnz == 0) return std::nullopt;
    const bool product = entry.op == Op::spgemm;
    if (product && (!entry.product || entry.product->products == 0)) return std::nullopt;
    Sample s;
    if (product) s.product = entry.product;
    s.name = entry.matrix.name, s.group = group_of(s.name);
    s.features = entry.features, s.device = entry.device, s.value = entry.value;
    double best = 0;
    bool baseline = false;
    for (const db::Candidate& c : entry.candidates) {
        if (c.status != db::Status::ok || !c.time) continue;
        if (c.id == entry.baseline) s.baseline = s.timed.size(), baseline = true;
        const Variant v = variant_of(c, entry);
        s.timed.push_back({v, us_of(v, c, entry), c.convert_us, false});
        if (product) s.timed.back().us += std::exchange(s.timed.back().convert_us, 0);
        s.kernel_hashes[hash_name(s.timed.back().variant)] = c.kernel_hash;
        if (best == 0 || s.timed.back().us < best) best = s.timed.back().us;
    }
    if (!baseline) return std::nullopt;
    // The fastest of those that differ in the block size alone, or in σ, too.
    std::map<std::string, double> relatives;
    for (const Timed& t : s.timed)
        for (const char* params : {"b", "bs"}) {
            const auto [at, fresh] = relatives.emplace(name_without(t.variant, params), t.us);
            if (!fresh) at->second = std::min(at->second, t.us);
        }
    for (const db::Candidate& c : entry.candidates) {
        if (c.status != db::Status::bounded) continue;
        const Variant v = variant_of(c, entry);
        const double least = static_cast<double>(c.bytes) /
                             bandwidth_gbs(s.device, static_cast<double>(c.bytes)) / 1e3;
        // Too slow for those that left values out, but perhaps not for others.
        if (db::had_one_value(entry) && least <= best) continue;
        const double convert = typical_convert_us(v, s.baseline_us());
        double us = std::max(least, kBounded * best);
        for (const char* params : {"b", "bs"}) {
            const auto relative = relatives.find(name_without(v, params));
            if (relative == relatives.end()) continue;
            us = std::max(us, relative->second);
            break;
        }
        s.timed.push_back({v, us, convert, true});
    }
    if (!product) s.least_blocks = least_blocks(s.features, s.timed);
    return s;
}

std::vector<Sample> read_samples(const db::Store& store, std::string_view backend, Op op,
                                 std::size_t* cut_short) {
    std::vector<Sample> samples, early;
    std::set<std::string> sides;  // with complete sweeps
    store.for_each([&](const std::string&, const db::Entry& entry) {
        if (entry.op != op || entry.cache != "warm" ||
            (!backend.empty() && entry.device.backend != backend))
            return;
        auto sample = sample_of(entry);
        if (!sample) return;
        if (entry.complete) sides.insert(entry.device.backend);
        (entry.complete ? samples : early).push_back(std::move(*sample));
    });
    for (Sample& s : early)
        if (!sides.contains(s.device.backend))
            samples.push_back(std::move(s));
        else if (cut_short)
            ++*cut_short;
    sort_samples(samples);
    return samples;
}

void sort_samples(std::vector<Sample>& samples) {
    std::stable_sort(samples.begin(), samples.end(), [](const Sample& a, const Sample& b) {
        return std::tie(a.name, a.device.key, a.value) < std::tie(b.name, b.device.key, b.value);
    });
}

}  // namespace sptune::models
