#include "tuner/sweep_contenders.hpp"

#include "db/knowledge.hpp"
#include "tuner/core_watch.hpp"
#include "tuner/decide.hpp"
#include "tuner/join.hpp"
#include "tuner/versions.hpp"

#include <algorithm>

namespace sptune::tuner {
namespace {

/// An earlier entry counts only when its times were taken under the same conditions.
bool same_conditions(const db::Entry& a, const db::Entry& b) {
    return a.matrix.fingerprint == b.matrix.fingerprint && a.device.key == b.device.key &&
           a.op == b.op && a.value == b.value && a.index == b.index && a.cache == b.cache &&
           db::had_one_value(a) == db::had_one_value(b);
}

/// Whether all threads took far longer for plain CSR than one of them alone with the same kernel,
/// which on an idle machine they do by what it takes to start them at most.
bool threads_were_late(const db::Entry& entry) {
    constexpr double kStartUs = 200, kFactor = 2;
    const db::Candidate* const all = db::find(entry, entry.baseline);
    if (!all || !all->time || entry.device.threads < 2) return false;
    Params of_one = all->params;
    for (Param& p : of_one)
        if (p.name == "w") p.value = 1;
    return std::any_of(entry.candidates.begin(), entry.candidates.end(), [&](const auto& c) {
        return c.format == all->format && c.algorithm == all->algorithm && c.params == of_one &&
               of_one != all->params && c.time &&
               all->time->median > kFactor * c.time->median + kStartUs;
    });
}

}  // namespace

bool wanted_by(const Variant& variant, const std::string& baseline, const SweepOptions& options) {
    const std::string id = variant.id();
    return id == baseline || id == options.guest || matches(id, options.variants);
}

SweepResult sweep_contenders(const Subject& s, const Features& features,
                             std::vector<Contender> contenders, const std::string& baseline,
                             const db::Device& device, const SweepOptions& wanted) {
    const double start = wanted.clock();
    SweepResult result;
    db::Entry& entry = result.entry;
    entry.matrix.rows = s.rows, entry.matrix.cols = s.cols, entry.matrix.nnz = s.nnz;
    entry.matrix.fingerprint = features.fingerprint;
    entry.features = features;
    entry.product = s.product;
    entry.device = device;
    entry.op = s.op;
    entry.value = s.value;
    entry.index = s.index;
    entry.cache = wanted.cache == Cache::warm ? "warm" : "cold";
    entry.baseline = baseline;
    entry.provenance.seed = wanted.seed;
    entry.provenance.budget_s = wanted.budget_s;
    if (s.one_value) entry.provenance.one_value = true;
    if (wanted.variants != "*") entry.provenance.variants = wanted.variants;

    SweepOptions options = wanted;
    CoreWatch cores(device.threads, wanted.budget_s, wanted.stop);
    if (!options.cores && device.backend == "cpu" && options.clock == &steady_us)
        options.cores = &cores;
    if (options.resume && !same_conditions(*options.resume, entry)) options.resume = nullptr;

    Scene scene;
    scene.device = &device;
    scene.baseline = baseline;
    scene.flops = s.flops;
    scene.csr_bytes = s.csr_bytes;
    scene.vector_bytes = s.vector_bytes;
    scene.least_bytes = s.least_bytes;

    Search search(std::move(contenders), scene, options);
    if (options.journal) {
        entry.candidates = search.candidates();
        options.journal->open(entry);
    }
    Search::Outcome outcome = search.run();
    entry.candidates = std::move(outcome.candidates);
    result.ended = outcome.ended;
    result.used_cols = s.used_cols;
    if (options.timer) result.repeated = options.timer->repeated();
    if (options.cores) {
        result.repeated = options.cores->repeated();
        result.cores_busy = options.cores->busy() || threads_were_late(entry);
        if (result.cores_busy) entry.provenance.cores_busy = true;
    }
    entry.complete = outcome.ended == Ended::complete;
    if (const db::Candidate* winner = db::find(entry, outcome.winner)) crown(entry, *winner);
    const auto ran = [](const db::Candidate& c) { return c.vendor && c.status == db::Status::ok; };
    if (std::any_of(entry.candidates.begin(), entry.candidates.end(), ran))
        entry.provenance.vendor_library =
            vendor_version(device.backend == "cuda" ? Backend::cuda : Backend::cpu);
    if (options.resume) keep_versions(entry, *options.resume);
    entry.provenance.sweep_s = (options.clock() - start) / 1e6;
    return result;
}

}  // namespace sptune::tuner
