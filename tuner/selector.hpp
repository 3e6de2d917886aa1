// How a kernel is chosen: by what a database says, else at sight, else by the first model that
// knows one to use.
#pragma once

#include "features/constant_values.hpp"
#include "models/shortlist.hpp"
#include "tuner/default_models.hpp"
#include "tuner/identify.hpp"
#include "tuner/select.hpp"
#include "tuner/select_field.hpp"
#include "tuner/select_limits.hpp"
#include "tuner/select_looks.hpp"
#include "tuner/select_predict.hpp"
#include "tuner/select_reasons.hpp"
#include "tuner/select_small.hpp"
#include "tuner/select_stored.hpp"
#include "tuner/stored_digest.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>

namespace sptune::tuner {

/// One choice: run() once.
template <class T, class P>
class Selector {
  public:
    using Kernel = SpmvKernel<T, P>;
    using Field = tuner::Field<T, P>;
    using Known = typename KernelIndex<T, P>::Known;

    Selector(const Chooser<T, P>& matrix, const KernelIndex<T, P>& kernels,
             const SelectOptions& options)
        : matrix_(matrix),
          kernels_(kernels),
          options_(options),
          small_(matrix, kernels, options),
          limits_(kernels, options.constraints, lookup_),
          looks_(kernels, limits_, lookup_) {}

    Selection run() {
        begin();
        check_error();
        if (!look_up() && !small_.decide(result_)) predict();
        return end();
    }

    Selection run_without_model() {
        without_model_ = true;
        begin();
        const auto& databases = options_.databases;
        if (databases && !databases->may_know(device_.key)) {
            lookup_.asked = !databases->all().empty();
            lookup_.notes = on_absent(*databases);
        } else if (look_up()) {
            return end();
        }
        if (small_.decide(result_)) return end();
        if (const Kernel* safe = small_.safe_kernel()) result_.safe.id = kernels_.id(*safe);
        result_.passed_over = std::move(lookup_.notes);
        return std::move(result_);
    }

  private:
    void begin() {
        start_us_ = options_.clock();
        if (small_.begin_look()) glance_at_databases();
        device_ = identify(matrix_.backend, options_.threads);
        result_.calls = options_.calls;
        result_.in_graphs = in_graphs();
    }

    /// While a GPU looks at the matrix.
    void glance_at_databases() {
        if (!options_.databases) return;
        for (const db::Databases::Item& item : options_.databases->all())
            glances_.push_back(item.store.glance());
    }

    Selection end() {
        result_.why = why_selected(result_, lookup_, device_.key, options_.constraints);
        result_.passed_over = std::move(lookup_.notes);
        result_.features = std::move(features_);
        result_.select_us = options_.clock() - start_us_;
        return std::move(result_);
    }

    static constexpr std::size_t kRunnersUp = 4;

    bool in_graphs() const { return options_.in_graphs && matrix_.backend == Backend::cuda; }
    double calls() const { return options_.calls > 0 ? options_.calls : kUnknownCalls; }

    const Features& features() {
        if (!features_) features_ = matrix_.features();
        return *features_;
    }

    /// 0 where nothing is stored, which spares a pass over the matrix.
    std::uint64_t fingerprint() {
        if (const FirstLook* look = small_.look()) return look->fingerprint;
        if (matrix_.features_tell_fingerprint) {
            // With features, which a model needs, it is free; without them it takes a third as
            // long.
            const bool alone = (without_model_ || options_.has_no_models()) &&
                               options_.databases->may_know(device_.key);
            if (!alone) features();
            if (features_) return features_->fingerprint;
        }
        return options_.databases->are_empty() ? 0 : matrix_.fingerprint();
    }

    /// On a GPU all kernels store values.
    bool has_one_value() const {
        return matrix_.backend == Backend::cpu && seems_to_have_one_value(matrix_.view);
    }

    void check_error() {
        const double asked = options_.constraints.error;
        if (std::isfinite(asked)) require_error(asked, value_type_of<T>(), features().row_max);
    }

    /// A stored measurement decides, if there is one for this device and the constraints.
    bool look_up() {
        if (!options_.databases || options_.databases->all().empty()) return false;
        lookup_.asked = true;
        const std::uint64_t print = fingerprint();
        const auto& all = options_.databases->all();
        for (std::size_t i = 0; i < all.size(); ++i) {
            const Selection before = result_;
            if (look_up_in(all[i], print, glances_.empty() ? nullptr : glances_[i])) return true;
            result_ = before;
        }
        return false;
    }

    bool look_up_in(const db::Databases::Item& item, std::uint64_t print, const db::Glance& seen) {
        db::Missed missed;
        const auto stored = [&](db::Extent extent) {
            return stored_digest<P>(item.store, Op::spmv, value_type_of<T>(), device_.key, print,
                                    &missed, extent, seen);
        };
        // The fastest in a loop need not be among the fastest in graphs.
        const bool any = options_.constraints.are_none() && !in_graphs();
        auto digest = stored(any ? db::Extent::most : db::Extent::all);
        // What was left out has to be told from what was slow.
        if (digest && any && !digest->complete) digest = stored(db::Extent::all);
        lookup_.add(missed, item.place);
        if (!digest ||
            !lookup_.accepts(*digest, kernels_.find(digest->winner) != nullptr, device_,
                             options_.validate, "matrix") ||
            lookup_.passes_over(*digest))
            return false;
        lookup_.found = true;
        Field field = field_of(*digest, kernels_, in_graphs(), lookup_);
        const auto plain = std::find_if(field.begin(), field.end(), [&](const auto& e) {
            return e.kernel == &kernels_.baseline();
        });
        if (plain == field.end()) return false;
        result_.baseline = plain->ranked();
        lookup_.other_values = digest->one_value && !has_one_value();
        if (lookup_.other_values) count_values(digest->features, field);
        note_safe(field);
        const bool as_measured = !in_graphs() && !lookup_.other_values;
        const std::string fastest = as_measured ? digest->winner : std::string();
        nothing_beats(fastest, field);
        const bool has_winner = field.front().id == fastest;
        const Ranked winner = has_winner ? field.front().ranked() : Ranked{};
        // A kernel that has run on this matrix is legal for it. Where it is not, the entry was made
        // by something else, and the rest of it is not to be believed either.
        const Features& known =
            is_of(matrix_.view, digest->features, print) ? digest->features : features();
        std::string refused;
        const auto inspect = [&](const Kernel& kernel) {
            const Footprint f = kernel.inspect(matrix_.view, known, kernel.variant.params);
            if (!f.illegal.empty() && refused.empty())
                refused = fmt::format("{}, stored as fast, cannot be used on this matrix: {}",
                                      kernels_.id(kernel), f.illegal);
            return f;
        };
        const bool decided = decide(std::move(field), inspect, 1, fastest);
        if (!refused.empty()) lookup_.notes.push_back(refused);
        if (!decided || !refused.empty()) return false;
        result_.source = Source::exact;
        result_.confidence = 1;
        lookup_.place = item.place, lookup_.altered = digest->altered;
        lookup_.winner = winner;
        result_.complete = digest->complete;
        result_.cores_busy = digest->cores_busy;
        if (!digest->complete && !without_model_) offer_the_rest(*digest);
        return true;
    }

    /// A sweep that was cut short or restricted says nothing of the other kernels: those that a
    /// model expects to be faster become alternatives, on the scale of what was measured.
    void offer_the_rest(const db::Digest& digest) {
        for (const models::Predictor* model : predictors()) {
            if (!model->covers(Op::spmv, value_type_of<T>(), device_)) continue;
            const Selection measured = result_;
            Field field = predictions(*model, kernels_.known_to(*model));
            const double scale = measured.baseline.predicted_us / result_.baseline.predicted_us;
            result_ = measured;
            if (field.empty()) continue;
            const double launch_us = launch_us_beside(measured.chosen);
            std::erase_if(field, [&](Entrant<T, P>& e) {
                e.predicted_us *= scale, e.convert_us *= scale;
                if (matrix_.backend == Backend::cuda)
                    e.predicted_us = std::max(e.predicted_us,
                                              models::launches_of(e.kernel->variant) * launch_us);
                return !limits_.allow(e) || has_measured(digest, e.id) ||
                       e.predicted_us >= measured.chosen.predicted_us;
            });
            put_in_order(field, calls(), kernels_.baseline(), 1, {});
            for (const Entrant<T, P>& e : field) {
                if (!limits_.usable(e, features_, inspector())) continue;
                if (lookup_.unmeasured.id.empty()) lookup_.unmeasured = e.ranked();
                if (result_.alternatives.size() >= 2 * kRunnersUp) break;
                result_.alternatives.push_back(e.ranked());
            }
            return;
        }
    }

    /// What a launch takes at least on a GPU, as of this process, or of the one that measured
    /// `chosen` if that waited for it.
    double launch_us_beside(const Ranked& chosen) const {
        constexpr double kAlike = 1.5;
        const double here_us = models::launching_of(reckoned_on_).host_us;
        const Kernel* kernel = kernels_.find(chosen.id);
        const double there_us =
            kernel ? chosen.predicted_us / models::launches_of(kernel->variant) : 0;
        return there_us < kAlike * here_us ? std::max(here_us, there_us) : here_us;
    }

    /// The first model decides that covers the device and knows a kernel that may be used.
    void predict() {
        bool covered = false;
        for (const models::Predictor* model : predictors()) {
            if (!model->covers(Op::spmv, value_type_of<T>(), device_)) continue;
            covered = true;
            const Known& known = kernels_.known_to(*model);
            Field field = predictions(*model, known);
            look(field, known);
            if (decide(std::move(field), inspector(), models::kWorthwhile, {}, &known))
                return trust(*model);
        }
        // Kernels that somebody names are worth a guess, even if nobody has learned of them.
        if (covered && options_.constraints.variants != "*")
            for (const models::Predictor* model : predictors())
                if (model->covers(Op::spmv, value_type_of<T>(), device_) &&
                    decide(predictions(*model, known_by_name(kernels_, *model,
                                                             options_.constraints.variants)),
                           inspector()))
                    return trust(*model);
        if (covered) throw limits_.unmet();
        const Kernel& plain = kernels_.baseline();
        result_.model.clear();
        result_.baseline = {kernels_.id(plain), 0, 0};
        if (!decide({{&plain, kernels_.id(plain)}}, inspector())) throw limits_.unmet();
    }

    void trust(const models::Predictor& model) {
        const Kernel& chosen = *kernels_.find(result_.chosen.id);
        const bool hub = chosen.variant.format == "hub";
        if (hub || chosen.variant.format == "tiles2d") {
            result_.source = Source::heuristic;
            result_.model = hub ? models::kHubModel : models::kTiles2dModel;
            result_.confidence = hub ? models::kHubConfidence : models::kTiles2dConfidence;
            return;
        }
        result_.confidence = model.confidence(chosen.variant, features(), device_);
    }

    std::vector<const models::Predictor*> predictors() const {
        return options_.models ? *options_.models : default_models(matrix_.backend);
    }

    /// Of `known`, the first of which is plain CSR. Sets what the result says of the model as well.
    /// Empty where the model knows nothing of plain CSR.
    Field predictions(const models::Predictor& model, const Known& known) {
        const db::Device device = device_for(model, matrix_.backend, options_);
        Field field = predicted_field(kernels_, known,
                                      model.predict(features(), device, known.options), device);
        if (field.empty()) return field;
        if (has_one_value()) leave_values_out(features(), field);
        result_.baseline = field.front().ranked();
        // As fast as plain CSR, as far as a model tells that does not know it.
        result_.safe = result_.baseline;
        result_.safe.id = kernels_.id(safe_kernel());
        note_safe(field);
        if (device.threads == 1 && options_.constraints.variants == "*") leave_out_twins(field);
        result_.source = model.name() == "heuristic" ? Source::heuristic : Source::model;
        result_.model = model.name();
        reckoned_on_ = with_bandwidths(device, model);
        return field;
    }

    bool look(Field& field, const Known& known) {
        return looks_.look(field, known, calls(), features(), matrix_.view, reckoned_on_);
    }

    const Kernel& safe_kernel() {
        if (const Kernel* safe = small_.safe_kernel()) return *safe;
        if (!features_) return kernels_.safe(matrix_.outline());
        return kernels_.safe(
            {matrix_.view.rows, matrix_.view.nnz(), features_->row_max, device_.threads});
    }

    void note_safe(const Field& field) {
        const Kernel& safe = safe_kernel();
        for (const Entrant<T, P>& e : field)
            if (e.kernel == &safe && std::isfinite(e.predicted_us)) result_.safe = e.ranked();
    }

    auto inspector() {
        return [this](const Kernel& kernel) {
            return kernel.inspect(matrix_.view, features(), kernel.variant.params);
        };
    }

    /// Fills in the choice from `field`; false when nothing in it may be used. Only what is about
    /// to be chosen is inspected, since some layouts take a pass over the matrix for that. `known`:
    /// of what was predicted.
    template <class Inspect>
    bool decide(Field field, const Inspect& inspect, double worthwhile = models::kWorthwhile,
                const std::string& preferred = {}, const Known* known = nullptr) {
        std::erase_if(field, [&](const Entrant<T, P>& e) {
            return !limits_.allow(e) || !std::isfinite(e.predicted_us);
        });
        put_in_order(field, calls(), kernels_.baseline(), worthwhile, preferred);
        if (options_.constraints.memory_bytes != ~0ull) {
            limits_.keep_within_memory(field, features_, inspect);
            put_in_order(field, calls(), kernels_.baseline(), worthwhile, preferred);
        }
        while (!field.empty() && !limits_.usable(field.front(), features_, inspect)) {
            field.erase(field.begin());
            // What was too far behind the one that cannot be used may now be worth a look.
            if (!field.empty() && !field.front().measured && known && look(field, *known))
                put_in_order(field, calls(), kernels_.baseline(), worthwhile, preferred);
        }
        if (field.empty()) return false;
        const auto chosen = field.begin();
        result_.chosen = chosen->ranked();
        for (auto e = chosen + 1; e != field.end() && result_.runners_up.size() < kRunnersUp; ++e)
            result_.runners_up.push_back(e->ranked());
        note_alternatives(chosen, field.end());
        result_.break_even_calls = break_even_calls(result_.chosen, result_.baseline);
        return true;
    }

    /// From the choice on, the best first.
    void note_alternatives(typename Field::const_iterator chosen,
                           typename Field::const_iterator end) {
        std::vector<const Variant*> ranked;
        for (auto at = chosen; at != end; ++at) ranked.push_back(&at->kernel->variant);
        for (const std::size_t i : models::worth_trying(ranked))
            result_.alternatives.push_back(chosen[static_cast<std::ptrdiff_t>(i)].ranked());
    }

    const Chooser<T, P>& matrix_;
    const KernelIndex<T, P>& kernels_;
    const SelectOptions& options_;
    bool without_model_ = false;
    double start_us_ = 0;
    db::Device device_;       // without bandwidths
    db::Device reckoned_on_;  // with them
    std::optional<Features> features_;
    SelectSmall<T, P> small_;
    std::vector<db::Glance> glances_;  // at all databases, or at none
    Lookup lookup_;
    SelectLimits<T, P> limits_;
    SelectLooks<T, P> looks_;
    Selection result_;
};

}  // namespace sptune::tuner
