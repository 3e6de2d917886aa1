// How a kernel is chosen: by what a database says, else at sight, else by the first model that
// knows one to use.
#pragma once

#include "tuner/identify.hpp"
#include "tuner/select_choice.hpp"
#include "tuner/select_model.hpp"
#include "tuner/select_stored.hpp"

#include <cmath>
#include <utility>

namespace sptune::tuner {

/// One choice: run() once.
template <class T, class P>
class Selector {
  public:
    Selector(const Chooser<T, P>& matrix, const KernelIndex<T, P>& kernels,
             const SelectOptions& options)
        : choice_(matrix, kernels, options), model_(choice_), stored_(choice_, model_) {}

    Selection run() {
        begin();
        check_error();
        if (!look_up() && !choice_.small.decide(choice_.result)) model_.predict();
        return end();
    }

    Selection run_without_model() {
        without_model_ = true;
        begin();
        const auto& databases = choice_.options.databases;
        if (databases && !databases->may_know(choice_.device.key)) {
            choice_.lookup.asked = !databases->all().empty();
            choice_.lookup.notes = on_absent(*databases);
        } else if (look_up()) {
            return end();
        }
        Selection& result = choice_.result;
        if (choice_.small.decide(result)) return end();
        if (const auto* safe = choice_.small.safe_kernel())
            result.safe.id = choice_.kernels.id(*safe);
        result.passed_over = std::move(choice_.lookup.notes);
        return std::move(result);
    }

  private:
    void begin() {
        start_us_ = choice_.options.clock();
        if (choice_.small.begin_look()) stored_.glance();
        choice_.device = identify(choice_.matrix.backend, choice_.options.threads);
        choice_.result.calls = choice_.options.calls;
        choice_.result.in_graphs = choice_.in_graphs();
    }

    Selection end() {
        Selection& result = choice_.result;
        result.why =
            why_selected(result, choice_.lookup, choice_.device.key, choice_.options.constraints);
        result.passed_over = std::move(choice_.lookup.notes);
        result.features = std::move(choice_.known_features);
        result.select_us = choice_.options.clock() - start_us_;
        return std::move(result);
    }

    void check_error() {
        const double asked = choice_.options.constraints.error;
        if (std::isfinite(asked))
            require_error(asked, value_type_of<T>(), choice_.features().row_max);
    }

    bool look_up() {
        return stored_.decide([this] { return fingerprint(); }, without_model_);
    }

    /// 0 where nothing is stored, which spares a pass over the matrix.
    std::uint64_t fingerprint() {
        if (const FirstLook* look = choice_.small.look()) return look->fingerprint;
        const SelectOptions& options = choice_.options;
        if (choice_.matrix.features_tell_fingerprint) {
            // With features, which a model needs, it is free; without them it takes a third as
            // long.
            const bool alone = (without_model_ || options.has_no_models()) &&
                               options.databases->may_know(choice_.device.key);
            if (!alone) choice_.features();
            if (choice_.known_features) return choice_.known_features->fingerprint;
        }
        return options.databases->are_empty() ? 0 : choice_.matrix.fingerprint();
    }

    Choice<T, P> choice_;
    SelectModel<T, P> model_;
    SelectStored<T, P> stored_;
    bool without_model_ = false;
    double start_us_ = 0;
};

}  // namespace sptune::tuner
