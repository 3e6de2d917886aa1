#include "models/starting.hpp"

#include "models/holding.hpp"

#include <algorithm>
#include <limits>

namespace sptune::models {
namespace {

double take_quantile(std::vector<double>& values, double q) {
    const auto at =
        values.begin() + static_cast<std::ptrdiff_t>(q * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), at, values.end());
    return *at;
}

/// Whether a call of `variant` starts all threads of a CPU.
bool starts_threads(const Variant& v) {
    return v.backend == Backend::cpu && param_or(v.params, "w", kAll) != 1;
}

}  // namespace

double start_or_usual_us(const db::Device& device) {
    constexpr double kUsual = 1;
    return device.backend == "cpu" && device.launch_us > 0 ? std::clamp(device.launch_us, 0.2, 12.0)
                                                           : kUsual;
}

double start_us_of(const Sample& s) {
    constexpr double kShort = 6;  // µs: more is too much work to see the start beside it
    constexpr std::size_t kEnough = 8;
    // Halves are never quite equal, and caches of one core are not those of two; what does best
    // shows the start.
    constexpr double kQuantile = 0.25;
    if (s.backend() != Backend::cpu || s.op() != Op::spmv || s.device.threads < 2) return 0;
    std::map<std::string, double> alone;
    for (const Timed& t : s.timed)
        if (!t.bounded && !starts_threads(t.variant) && t.us < kShort)
            alone.emplace(name_without(t.variant, "w"), t.us);
    std::vector<double> starts;
    for (const Timed& t : s.timed) {
        if (t.bounded || !starts_threads(t.variant)) continue;
        const auto one = alone.find(name_without(t.variant, "w"));
        if (one != alone.end()) starts.push_back(t.us - one->second / s.device.threads);
    }
    constexpr double kNoTime = 0.05;  // 0 would be: not known
    return starts.size() < kEnough ? 0 : std::max(take_quantile(starts, kQuantile), kNoTime);
}

std::optional<Sample> at_other_start(const Sample& s, double factor) {
    constexpr double kShort = 20;  // µs of the fastest kernel: the start hardly counts beside more
    constexpr double kLeast = 0.25;  // of what was measured: the start is known but roughly
    const bool known = s.backend() == Backend::cpu && s.op() == Op::spmv && s.device.threads > 1 &&
                       s.device.launch_us > 0;
    const auto shorter = [](const Timed& a, const Timed& b) { return a.us < b.us; };
    if (!known || std::min_element(s.timed.begin(), s.timed.end(), shorter)->us > kShort)
        return std::nullopt;
    Sample other = s;
    other.device.launch_us *= factor;
    const double longer = other.device.launch_us - s.device.launch_us;
    double least = std::numeric_limits<double>::infinity();
    for (std::vector<Timed>* list : {&other.timed, &other.least_blocks})
        for (Timed& t : *list) {
            if (starts_threads(t.variant)) t.us = std::max(t.us + longer, kLeast * t.us);
            if (!t.bounded) least = std::min(least, t.us);
        }
    // What was not measured stays slower than what was.
    for (std::vector<Timed>* list : {&other.timed, &other.least_blocks})
        for (Timed& t : *list)
            if (t.bounded) t.us = std::max(t.us, kBounded * least);
    return other;
}

void tell_starts(std::vector<Sample>& samples) {
    std::map<std::string, std::vector<double>> known;
    for (Sample& s : samples) {
        if (s.backend() != Backend::cpu) continue;
        s.device.launch_us = start_us_of(s);
        if (s.device.launch_us > 0) known[s.device.key].push_back(s.device.launch_us);
    }
    std::map<std::string, double> usual;
    for (auto& [key, starts] : known) usual[key] = take_quantile(starts, 0.5);
    for (Sample& s : samples)
        if (s.backend() == Backend::cpu && s.op() == Op::spmv && s.device.launch_us <= 0)
            s.device.launch_us = usual[s.device.key];
}

}  // namespace sptune::models
