#include "cli/comparison.hpp"

#include "cli/describe.hpp"
#include "cli/ranking.hpp"
#include "db/codec.hpp"
#include "models/spread.hpp"
#include "tuner/regret.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sptune::cli {
namespace {

using Json = nlohmann::ordered_json;
using Timed = Comparison::Timed;

std::optional<Timed> timed(const db::Entry& entry, const std::string& id) {
    const db::Candidate* c = db::find(entry, id);
    if (!c || c->status != db::Status::ok || !c->time) return std::nullopt;
    return Timed{c->id, short_id(entry, c->id), c->time->median, c->convert_us};
}

/// Bytes that one call has to move; nothing where no kernel was measured that could tell.
std::optional<std::uint64_t> bytes_moved(const db::Entry& entry, std::uint64_t used_cols) {
    if (entry.op == Op::spgemm) {  // the same for every kernel: A, B and C as CSR
        const db::Candidate* winner = db::find(entry, entry.winner);
        if (!winner) return std::nullopt;
        return winner->bytes;
    }
    const std::uint64_t value = entry.value == ValueType::f64 ? 8 : 4;
    const std::uint64_t pointer = entry.index == IndexType::i64 ? 8 : 4;
    const auto rows = static_cast<std::uint64_t>(entry.matrix.rows);
    const auto nnz = static_cast<std::uint64_t>(entry.matrix.nnz);
    return nnz * (value + sizeof(index_t)) + (rows + 1) * pointer + (used_cols + rows) * value;
}

std::optional<double> floor_us(const db::Entry& entry, std::uint64_t used_cols) {
    const std::optional<std::uint64_t> bytes = bytes_moved(entry, used_cols);
    if (!bytes) return std::nullopt;
    double gbs = bandwidth_at(entry, *bytes);
    if (entry.device.copy_gbs > 0) gbs = entry.device.copy_gbs;
    if (gbs <= 0) return std::nullopt;
    return static_cast<double>(*bytes) / gbs / 1e3;
}

std::optional<double> speed_up(const Timed* first, const Timed* second) {
    if (!first || !second || first->time_us <= 0 || second->time_us <= 0) return std::nullopt;
    return second->time_us / first->time_us;
}

template <class T>
const T* pointer(const std::optional<T>& value) {
    return value ? &*value : nullptr;
}

/// What became of the choice, which has no time, in words that follow its id.
std::string why_missing(const db::Candidate* choice) {
    if (!choice) return "is not among the kernels of the sweep";
    if (choice->status == db::Status::not_reached)
        return "was not measured: the sweep ended before";
    std::string status(to_string(choice->status));
    std::replace(status.begin(), status.end(), '_', ' ');
    return fmt::format("cannot be compared: {}{}{}", status, choice->reason.empty() ? "" : ": ",
                       choice->reason);
}

Json number(const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json time_of(const Timed* t) {
    return t ? Json(t->time_us) : Json(nullptr);
}

Json id_and_time(const Timed& t) {
    return {{"id", t.id}, {"time_us", t.time_us}};
}

Json result(const Comparison& c) {
    Json vendor = Json::array();
    for (const Timed& t : c.vendor) vendor.push_back(id_and_time(t));
    Json json{{"matrix", c.matrix},
              {"rows", c.rows},
              {"cols", c.cols},
              {"nnz", c.nnz},
              {"precision", to_string(c.precision)},
              {"floor_us", number(c.floor_us)},
              {"csr_us", time_of(pointer(c.csr))},
              {"vendor", std::move(vendor)},
              {"vendor_best_us", time_of(c.vendor_best())},
              {"oracle", nullptr},
              {"auto", nullptr},
              {"auto_missing", nullptr},
              {"complete", c.complete}};
    if (c.op == Op::spgemm) json["products"] = c.products;
    if (c.without_values) json["without_values"] = true;
    if (c.oracle) json["oracle"] = id_and_time(*c.oracle);
    if (c.chosen) {
        json["auto"] = id_and_time(*c.chosen);
        json["auto"]["select_us"] = c.choice.select_us;
        json["auto"]["convert_us"] = c.chosen->convert_us;
        json["auto"]["source"] = c.choice.source;
    } else {
        json["auto_missing"] = fmt::format("{} {}", c.choice.id, c.missing);
    }
    return json;
}

}  // namespace

Comparison compare(const db::Entry& entry, std::uint64_t used_cols, const AutoChoice& choice) {
    Comparison c{.matrix = entry.matrix.name,
                 .rows = entry.matrix.rows,
                 .cols = entry.matrix.cols,
                 .nnz = entry.matrix.nnz,
                 .precision = entry.value,
                 .op = entry.op,
                 .products = entry.product ? entry.product->products : 0,
                 .floor_us = floor_us(entry, used_cols),
                 .csr = timed(entry, entry.baseline),
                 .oracle = timed(entry, entry.winner),
                 .chosen = timed(entry, choice.id),
                 .choice = choice,
                 .missing = {},
                 .complete = entry.complete,
                 .without_values = was_without_values(entry),
                 .regret = {},
                 .vendor = {}};
    if (!c.chosen) c.missing = why_missing(db::find(entry, choice.id));
    if (c.chosen) c.regret = tuner::regret(entry, c.chosen->id);
    for (const db::Candidate& candidate : entry.candidates)
        if (const auto t = timed(entry, candidate.id); t && candidate.vendor)
            c.vendor.push_back(*t);
    std::stable_sort(c.vendor.begin(), c.vendor.end(),
                     [](const Timed& a, const Timed& b) { return a.time_us < b.time_us; });
    return c;
}

Ratios ratios(const Comparison& c) {
    const Timed* oracle = pointer(c.oracle);
    const Timed* chosen = pointer(c.chosen);
    return {speed_up(oracle, c.vendor_best()), speed_up(chosen, c.vendor_best()),
            speed_up(chosen, pointer(c.csr)), speed_up(chosen, oracle)};
}

Ratios geomean(const std::vector<Comparison>& comparisons) {
    const auto mean = [&](std::optional<double> Ratios::*ratio) -> std::optional<double> {
        double sum = 0;
        int terms = 0;
        for (const Comparison& c : comparisons)
            if (const auto r = ratios(c).*ratio) sum += std::log(*r), ++terms;
        if (!terms) return std::nullopt;
        return std::exp(sum / terms);
    };
    return {mean(&Ratios::oracle_vs_vendor_best), mean(&Ratios::auto_vs_vendor_best),
            mean(&Ratios::auto_vs_csr), mean(&Ratios::auto_vs_oracle)};
}

std::optional<Regrets> regrets(const std::vector<Comparison>& comparisons) {
    std::vector<double> all;
    Regrets sum;
    for (const Comparison& c : comparisons) {
        if (!c.regret) continue;
        all.push_back(*c.regret);
        const auto csr = speed_up(pointer(c.chosen), pointer(c.csr));
        sum.slower_share += csr && *csr < 1 / 1.05;
    }
    if (all.empty()) return std::nullopt;
    sum.count = all.size();
    sum.slower_share /= static_cast<double>(all.size());
    const models::Spread spread = models::spread_of(std::move(all));
    sum.mean = spread.geomean, sum.p95 = spread.p95;
    return sum;
}

Json compare_document(const db::Device& device, const std::string& cache,
                      const std::vector<Comparison>& comparisons, std::size_t asked) {
    Json results = Json::array();
    for (const Comparison& c : comparisons) results.push_back(result(c));
    const Ratios mean = geomean(comparisons);
    const Op op = comparisons.empty() ? Op::spmv : comparisons.front().op;
    Json regret = nullptr;
    if (const auto r = regrets(comparisons)) {
        regret = {{"mean", r->mean}, {"p95", r->p95}, {"slower_than_csr", r->slower_share}};
        for (const Comparison& c : comparisons) regret["each"].push_back(number(c.regret));
    }
    return {{"schema", "sptune.compare/1"},
            {"op", to_string(op)},
            {"device", db::to_json(device)},
            {"cache", cache},
            {"complete", comparisons.size() == asked &&
                             std::ranges::all_of(comparisons, &Comparison::complete)},
            {"results", std::move(results)},
            {"geomean",
             {{"oracle_vs_vendor_best", number(mean.oracle_vs_vendor_best)},
              {"auto_vs_vendor_best", number(mean.auto_vs_vendor_best)},
              {"auto_vs_csr", number(mean.auto_vs_csr)},
              {"auto_vs_oracle", number(mean.auto_vs_oracle)}}},
            {"regret", std::move(regret)}};
}

}  // namespace sptune::cli
