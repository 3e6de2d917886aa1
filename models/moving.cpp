#include "models/moving.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sptune::models {
namespace {

/// Bytes that a core, or a multiprocessor, moves in the microsecond in which a call starts.
constexpr double kStart = 20'000;

bool of_least_block(const Layout& l) {
    return l.kind == Layout::Kind::bsr && l.r == kAll;
}

double bytes_of(const Features& features, Layout l) {
    if (!of_least_block(l)) return held_bytes(features, l);
    double least = std::numeric_limits<double>::infinity();
    for (const BsrProbe& probe : bsr_probes()) {
        l.r = probe.r, l.c = probe.c;
        least = std::min(least, held_bytes(features, l));
    }
    return least;
}

}  // namespace

Moving::Moving(const std::vector<Variant>& kernels) {
    for (const Variant& v : kernels) {
        Layout layout = layout_of(v);
        layout.value = 4, layout.tiles = false;  // the latter says what fits, not what it holds
        auto& known = layouts_[0];
        const auto at = std::find(known.begin(), known.end(), layout);
        layout_.push_back(static_cast<std::size_t>(at - known.begin()));
        if (at != known.end()) continue;
        known.push_back(layout);
        layouts_[1].push_back(layout);
        layouts_[1].back().value = 8;
    }
}

std::vector<float> Moving::behind(const Features& features, const db::Device& device,
                                  ValueType value) const {
    const double start = kStart * std::max(device.threads, 1) +
                         vector_bytes(features, value == ValueType::f32 ? 4 : 8);
    std::vector<float> list;
    list.reserve(layout_.size());
    float least = std::numeric_limits<float>::infinity();
    std::vector<float> logs;
    for (const Layout& l : layouts_[value == ValueType::f32 ? 0 : 1]) {
        logs.push_back(std::log(static_cast<float>(start + bytes_of(features, l))));
        least = std::min(least, logs.back());
    }
    for (const std::size_t place : layout_) list.push_back(logs[place] - least);
    return list;
}

}  // namespace sptune::models
