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
#include <filesystem>
#include <map>
#include <optional>
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

/// NAME=N; nothing where there is no N from 1 to kMostTimes.
struct Times {
    std::string name;
    int times = 1;
};
constexpr int kMostTimes = 100;
std::optional<Times> with_times(const std::string& word) {
    const std::size_t equals = word.rfind('=');
    if (equals == std::string::npos || equals == 0) return std::nullopt;
    Times t{word.substr(0, equals)};
    const char* const end = word.data() + word.size();
    const auto [rest, error] = std::from_chars(word.data() + equals + 1, end, t.times);
    if (error != std::errc() || rest != end || t.times < 1 || t.times > kMostTimes)
        return std::nullopt;
    return t;
}

/// Of --samples. A file whose own name ends like that is itself.
Times file_with_times(const std::string& word) {
    std::error_code ignored;
    if (word.find('=') == std::string::npos || std::filesystem::exists(word, ignored))
        return {word};
    if (const auto t = with_times(word)) return *t;
    throw UsageError(fmt::format(
        "--samples {}: there is no such file; or, of FILE=N, N must be a number from 1 to {}", word,
        kMostTimes));
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
    for (std::string word; std::getline(files, word, ',');) {
        const auto [file, times] = file_with_times(word);
        for (models::Sample& s : models::read_packed_samples(file)) {
            if (s.op() != op || !(backend.empty() || s.device.backend == backend)) continue;
            s.times = times;
            read.push_back(std::move(s));
        }
    }
    std::multimap<std::tuple<std::uint64_t, std::string, ValueType>, std::size_t> seen;
    all.reserve(read.size());
    for (models::Sample& s : read) {
        const std::uint64_t print = s.product ? s.product->fingerprint : s.features.fingerprint;
        const std::tuple subject(print, s.device.key, s.value);
        const auto [first, last] = seen.equal_range(subject);
        const auto known = std::find_if(first, last, [&](const auto& entry) {
            return repeated == Repeated::first || same_sweep(all[entry.second], s);
        });
        if (known != last) {
            models::Sample& kept = all[known->second];
            kept.times = std::max(kept.times, s.times);
            continue;
        }
        seen.emplace(subject, all.size());
        all.push_back(std::move(s));
    }
    models::sort_samples(all);
    models::tell_starts(all);
    return all;
}

std::vector<std::string> files_of(const TrainingInput& input) {
    std::vector<std::string> files;
    if (wants_db(input)) files.push_back(open_db(input.db).path().string());
    std::istringstream words(input.samples);
    for (std::string word; std::getline(words, word, ',');)
        files.push_back(file_with_times(word).name);
    return files;
}

void require_single(const TrainingInput& input) {
    std::istringstream words(input.samples);
    for (std::string word; std::getline(words, word, ',');)
        if (const auto [file, times] = file_with_times(word); times > 1)
            throw UsageError(fmt::format(
                "--samples {}: FILE=N is of SpMV; of products every sweep counts once", word));
}

std::vector<models::Weight> parse_weights(const std::string& text) {
    std::vector<models::Weight> weights;
    std::istringstream items(text);
    for (std::string item; std::getline(items, item, ',');) {
        const auto weight = with_times(item);
        if (!weight)
            throw UsageError("--weigh " + item + ": expected GLOB=N with N from 1 to " +
                             std::to_string(kMostTimes) + ", e.g. 'amd-*=3'");
        weights.push_back({weight->name, weight->times});
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
