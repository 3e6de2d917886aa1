#include "cli/training_input.hpp"

#include "cli/db_command.hpp"
#include "cli/output.hpp"
#include "matrix/error.hpp"
#include "matrix/number.hpp"
#include "models/sample_file.hpp"
#include "models/starting.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <sstream>
#include <tuple>

#include <fmt/format.h>

namespace sptune::cli {
namespace {

bool wants_db(const TrainingInput& input) {
    return !input.db.empty() || input.samples.empty();
}

/// Packed times are rounded, so that one sweep may differ from itself by so much.
bool same_sweep(const models::Sample& a, const models::Sample& b) {
    constexpr double kRounding = 0.002;
    return std::equal(a.timed.begin(), a.timed.end(), b.timed.begin(), b.timed.end(),
                      [](const models::Timed& x, const models::Timed& y) {
                          return std::abs(std::log(x.us / y.us)) < kRounding;
                      });
}

}  // namespace

std::vector<models::Sample> read_training(const TrainingInput& input, Op op, Repeated repeated,
                                          std::string_view backend) {
    std::vector<models::Sample> read, all;
    std::size_t cut_short = 0;
    if (wants_db(input))
        read = models::read_samples(open_existing_db(input.db), backend, op, &cut_short);
    if (cut_short > 0)
        warn(fmt::format(
            "{} of {} that ended early: left out, their fastest kernel may not have "
            "had its turn",
            with_noun(std::to_string(cut_short), "sweep"), op == Op::spmv ? "SpMV" : "products"));
    std::istringstream files(input.samples);
    for (std::string file; std::getline(files, file, ',');)
        for (models::Sample& s : models::read_packed_samples(file))
            if (s.op() == op && (backend.empty() || s.device.backend == backend))
                read.push_back(std::move(s));
    std::multimap<std::tuple<std::uint64_t, std::string, ValueType>, std::size_t> seen;
    all.reserve(read.size());
    for (models::Sample& s : read) {
        const std::uint64_t print = s.product ? s.product->fingerprint : s.features.fingerprint;
        const std::tuple subject(print, s.device.key, s.value);
        const auto [first, last] = seen.equal_range(subject);
        const bool known = std::any_of(first, last, [&](const auto& entry) {
            return repeated == Repeated::first || same_sweep(all[entry.second], s);
        });
        if (known) continue;
        seen.emplace(subject, all.size());
        all.push_back(std::move(s));
    }
    models::sort_samples(all);
    models::tell_starts(all);
    return all;
}

std::vector<models::Weight> parse_weights(const std::string& text) {
    constexpr int kMost = 100;
    std::vector<models::Weight> weights;
    std::istringstream items(text);
    for (std::string item; std::getline(items, item, ',');) {
        const std::size_t equals = item.rfind('=');
        models::Weight w;
        const char* const end = item.data() + item.size();
        const auto [rest, error] = equals == std::string::npos
                                       ? std::from_chars_result{end, std::errc::invalid_argument}
                                       : std::from_chars(item.data() + equals + 1, end, w.times);
        if (error != std::errc() || rest != end || equals == 0 || w.times < 1 || w.times > kMost)
            throw UsageError("--weigh " + item + ": expected GLOB=N with N from 1 to " +
                             std::to_string(kMost) + ", e.g. 'amd-*=3'");
        w.device = item.substr(0, equals);
        weights.push_back(std::move(w));
    }
    return weights;
}

void tell_idle_weights(const std::vector<models::Weight>& weights,
                       const std::set<std::string>& devices) {
    for (const models::Weight& w : weights)
        if (std::none_of(devices.begin(), devices.end(),
                         [&](const std::string& key) { return matches(key, w.device); }))
            warn(fmt::format("--weigh {}={}: no device matches; `sptune db list` shows their keys",
                             w.device, w.times));
}

std::string name_of(const TrainingInput& input) {
    if (!wants_db(input)) return input.samples;
    return open_db(input.db).path().string();
}

}  // namespace sptune::cli
