#include "models/evaluate.hpp"

#include "kernels/spgemm/registry.hpp"
#include "matrix/parallel.hpp"
#include "models/bestsf.hpp"
#include "models/folds.hpp"
#include "models/heuristic.hpp"
#include "models/nearest.hpp"
#include "models/repeats.hpp"
#include "models/tally.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <set>

#include <fmt/format.h>

namespace sptune::models {
namespace {

std::vector<Fold> folds_of(const std::vector<const Sample*>& all, const EvaluateOptions& options,
                           bool one_family, std::string& protocol) {
    const bool given = !options.given.empty() || !options.given_products.empty();
    std::vector<Fold> folds;
    if (given) {
        protocol = "the given model on all matrices";
        folds.push_back({{}, all});
    } else if (!options.hold_out.empty()) {
        protocol = fmt::format("all but {} train, those test", options.hold_out);
        folds.push_back(held_out(all, options.hold_out));
    } else {
        protocol = fmt::format("{} folds by {}", options.folds,
                               one_family ? "matrix, since all are of one family" : "family");
        const Unit unit = one_family ? Unit::matrix : Unit::group;
        for (int i = 0; i < options.folds; ++i)
            folds.push_back(fold_of(all, options.folds, i, unit));
    }
    std::erase_if(folds,
                  [&](const Fold& f) { return f.test.empty() || (f.train.empty() && !given); });
    return folds;
}

using Predictors = std::vector<std::unique_ptr<const Predictor>>;

/// What learns from a fold, and the heuristic.
Predictors train_spmv(const Fold& fold, const EvaluateOptions& options) {
    Predictors made;
    if (options.given.empty()) {
        TreeOptions trees = options.trees.value_or(usual_options(fold.test.front()->backend()));
        trees.folds = 0;
        made.push_back(std::make_unique<TreeModel>(TreeModel::train(fold.train, trees)));
        made.push_back(std::make_unique<BestSf>(BestSf::train(fold.train)));
        made.push_back(std::make_unique<Nearest>(fold.train));
    }
    made.push_back(std::make_unique<Heuristic>());
    return made;
}

/// Predictors choose, plans try, and what needs no model stands beside.
void test_spmv(const Fold& fold, const Predictors& made, const EvaluateOptions& options,
               const Repeats& repeats, Tallies& tallies, Tallies& devices) {
    std::vector<const Predictor*> predictors = options.given;
    for (const auto& p : made) predictors.push_back(p.get());
    const std::size_t tried = options.given.empty() ? 1 : options.given.size();
    for (const Sample* s : fold.test) {
        const Timed* const elsewhere = repeats.cheapest_elsewhere(*s, options.calls);
        const auto add = [&](Tally& tally, const Timed& t) { tally.add(*s, t, elsewhere); };
        add(devices.of(s->device.key), chosen_by(*predictors.front(), *s, options.calls));
        for (const Predictor* p : predictors)
            add(tallies.of(p->name()), chosen_by(*p, *s, options.calls));
        const Timed* const at_sight = chosen_at_sight(*s, options.calls);
        for (std::size_t p = 0; p < tried && s->backend() == Backend::cuda; ++p)
            add(tallies.of(predictors[p]->name() + ", or at sight"),
                at_sight ? *at_sight : chosen_by(*predictors[p], *s, options.calls));
        for (std::size_t p = 0; p < tried; ++p)
            add(tallies.of(predictors[p]->name() + ", tried"), settled_by(*predictors[p], *s));
        add(tallies.of("always CSR"), s->timed[s->baseline]);
    }
}

/// The first of `ranking` that was measured.
const Timed& first_measured(const Sample& s, const std::vector<const Variant*>& ranking) {
    for (const Variant* v : ranking)
        for (const Timed& t : s.timed)
            if (short_name(t.variant) == short_name(*v)) return t;
    return s.timed[s.baseline];
}

void test_products(const Fold& fold, const EvaluateOptions& options, const Repeats& repeats,
                   Tallies& tallies, Tallies& devices) {
    std::optional<ProductModel> made;
    std::vector<const ProductModel*> models = options.given_products;
    if (models.empty()) models.push_back(&made.emplace(ProductModel::train(fold.train)));
    for (const Sample* s : fold.test) {
        const auto model = std::find_if(models.begin(), models.end(),
                                        [&](const auto* m) { return m->covers(s->device); });
        if (model == models.end()) continue;
        const ProductFeatures& product = s->product.value();
        const Timed& chosen = first_measured(*s, (*model)->ranking(product, s->device, s->value));
        const Timed* const elsewhere = repeats.cheapest_elsewhere(*s, options.calls);
        const auto add = [&](Tally& tally, const Timed& t) { tally.add(*s, t, elsewhere); };
        add(devices.of(s->device.key), chosen);
        add(tallies.of("trees"), chosen);
        const Variant usual =
            spgemm_default(s->backend(), s->value, IndexType::i32, product.products_cv);
        add(tallies.of("default"), first_measured(*s, {&usual}));
        add(tallies.of("always plain"), s->timed[s->baseline]);
    }
}

}  // namespace

Evaluation evaluate(const std::vector<Sample>& samples, const EvaluateOptions& options) {
    std::vector<const Sample*> all;
    std::set<std::string> names, groups;
    for (const Sample& s : samples) {
        all.push_back(&s), names.insert(s.name), groups.insert(s.group);
        if (s.device.backend != samples.front().device.backend || s.op() != samples.front().op())
            throw Error("evaluate: samples of several backends or operations; one at a time");
    }
    Evaluation result;
    result.matrices = static_cast<int>(names.size()),
    result.groups = static_cast<int>(groups.size());
    const std::vector<Fold> folds = folds_of(all, options, groups.size() == 1, result.protocol);
    if (folds.empty())
        throw NothingToTest(
            options.hold_out.empty()
                ? std::string("two matrices are needed at least, one to train on and one to test")
                : fmt::format("the hold-out '{}' matches {} of {} matrices", options.hold_out,
                              matches(*names.begin(), options.hold_out) ? "all" : "none",
                              names.size()));

    const bool products = all.front()->product.has_value();
    std::vector<Predictors> made(folds.size());
    int done = 0;
    std::mutex mutex;
    const auto step = [&] {
        const std::lock_guard lock(mutex);
        if (options.progress) options.progress(++done, static_cast<int>(folds.size()));
    };
    if (!products)
        parallel_for(thread_count(0), folds.size(), [&](int, std::size_t i) {
            made[i] = train_spmv(folds[i], options);
            step();
        });
    Tallies tallies(options.calls), devices(options.calls);
    const Repeats repeats(all);
    for (std::size_t i = 0; i < folds.size(); ++i) {
        const Fold& fold = folds[i];
        if (products)
            test_products(fold, options, repeats, tallies, devices), step();
        else
            test_spmv(fold, made[i], options, repeats, tallies, devices);
        for (const Sample* s : fold.test) {
            const Timed* vendor = cheapest(
                *s, options.calls, [](const Timed& t) { return t.variant.vendor && !t.bounded; });
            const Timed* again = repeats.cheapest_elsewhere(*s, options.calls);
            if (vendor) tallies.of("vendor's best").add(*s, *vendor, again);
            if (again) tallies.of("another sweep's best").add(*s, *again, again);
        }
    }
    result.scores = tallies.scores();
    result.by_device = devices.scores();
    if (result.by_device.size() == 1) result.by_device.clear();
    return result;
}

}  // namespace sptune::models
