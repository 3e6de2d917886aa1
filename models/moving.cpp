#include "models/moving.hpp"

#include "models/holding.hpp"
#include "models/least_block.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>

#include <fmt/format.h>

namespace sptune::models {
namespace {

/// Bytes that a core, or a multiprocessor, moves in the microsecond in which a call starts.
constexpr double kStart = 20'000;

/// What the bytes of a kernel depend on.
std::string layout_name(const Variant& v) {
    std::string name = v.vendor ? v.format + "." + v.algorithm : v.format;
    for (const Param& p : v.params)
        if (std::string_view("cfqrsx").find(p.name) != std::string_view::npos)
            name += fmt::format(".{}{}", p.name, p.value);
    return name;
}

bool of_least_block(const Variant& v) {
    return v.format == "bsr" && !v.vendor && param_or(v.params, "r", 1) == kAll;
}

double least_block_bytes(const Features& features, Variant v) {
    double least = std::numeric_limits<double>::infinity();
    for (const BsrProbe& probe : bsr_probes()) {
        for (Param& p : v.params) {
            if (p.name == "r") p.value = probe.r;
            if (p.name == "c") p.value = probe.c;
        }
        least = std::min(least, static_cast<double>(estimated_bytes(features, v)));
    }
    return least;
}

}  // namespace

Moving::Moving(const std::vector<Variant>& kernels) {
    std::map<std::string, std::size_t> known;
    for (const Variant& v : kernels) {
        const auto [at, is_new] = known.emplace(layout_name(v), layouts_[0].size());
        layout_.push_back(at->second);
        if (!is_new) continue;
        for (std::size_t i = 0; i < layouts_.size(); ++i) {
            layouts_[i].push_back(v);
            layouts_[i].back().value = i == 0 ? ValueType::f32 : ValueType::f64;
        }
    }
}

std::vector<float> Moving::behind(const Features& features, const db::Device& device,
                                  ValueType value) const {
    const auto& layouts = layouts_[value == ValueType::f32 ? 0 : 1];
    const double start = kStart * std::max(device.threads, 1);
    std::vector<float> bytes;
    for (const Variant& v : layouts)
        bytes.push_back(static_cast<float>(
            start + (of_least_block(v) ? least_block_bytes(features, v)
                                       : static_cast<double>(estimated_bytes(features, v)))));
    if (bytes.empty()) return {};
    const float least = *std::min_element(bytes.begin(), bytes.end());
    for (float& b : bytes) b = std::log(b / least);
    std::vector<float> list;
    list.reserve(layout_.size());
    for (const std::size_t place : layout_) list.push_back(bytes[place]);
    return list;
}

}  // namespace sptune::models
