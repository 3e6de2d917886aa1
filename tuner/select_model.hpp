// Choosing by the first model that knows a kernel to use.
#pragma once

#include "tuner/default_models.hpp"
#include "tuner/select_choice.hpp"
#include "tuner/select_predict.hpp"

#include <utility>
#include <vector>

namespace sptune::tuner {

/// Of one choice.
template <class T, class P>
class SelectModel {
  public:
    using Kernel = SpmvKernel<T, P>;
    using Field = tuner::Field<T, P>;
    using Known = typename KernelIndex<T, P>::Known;

    explicit SelectModel(Choice<T, P>& choice) : choice_(choice) {}

    /// The first model decides that covers the device and knows a kernel that may be used; plain
    /// CSR where none covers it. Throws Unmet.
    void predict() {
        const KernelIndex<T, P>& kernels = choice_.kernels;
        const Constraints& constraints = choice_.options.constraints;
        const std::vector<const models::Predictor*> asked = covering();
        for (const models::Predictor* model : asked) {
            const Known& known = kernels.known_to(*model);
            Field field = predictions(*model, known);
            choice_.look(field, known);
            if (choice_.decide(std::move(field), choice_.inspector(), models::kWorthwhile, {},
                               &known))
                return trust(*model);
        }
        // Kernels that somebody names are worth a guess, even if nobody has learned of them.
        if (constraints.variants != "*")
            for (const models::Predictor* model : asked)
                if (choice_.decide(
                        predictions(*model, known_by_name(kernels, *model, constraints.variants)),
                        choice_.inspector()))
                    return trust(*model);
        if (!asked.empty()) throw choice_.limits.unmet();
        const Kernel& plain = kernels.baseline();
        choice_.result.model.clear();
        choice_.result.baseline = {kernels.id(plain), 0, 0};
        if (!choice_.decide({{&plain, kernels.id(plain)}}, choice_.inspector()))
            throw choice_.limits.unmet();
    }

    /// Those to ask that cover the device, in order.
    std::vector<const models::Predictor*> covering() const {
        const auto& named = choice_.options.models;
        auto list = named ? *named : default_models(choice_.matrix.backend);
        std::erase_if(list, [&](const models::Predictor* model) {
            return !model->covers(Op::spmv, value_type_of<T>(), choice_.device);
        });
        return list;
    }

    /// Of `known`, the first of which is plain CSR. Sets what the result says of the model as well.
    /// Empty where the model knows nothing of plain CSR.
    Field predictions(const models::Predictor& model, const Known& known) {
        const auto& options = choice_.options;
        Selection& result = choice_.result;
        const db::Device device = device_for(model, choice_.matrix.backend, options);
        Field field =
            predicted_field(choice_.kernels, known,
                            model.predict(choice_.features(), device, known.options), device);
        if (field.empty()) return field;
        if (choice_.seems_to_have_one_value()) reckon_values(true, choice_.features(), field);
        result.baseline = field.front().ranked();
        // As fast as plain CSR, as far as a model tells that does not know it.
        result.safe = result.baseline;
        result.safe.id = choice_.kernels.id(choice_.safe_kernel());
        choice_.note_safe(field);
        if (device.threads == 1 && options.constraints.variants == "*") leave_out_twins(field);
        result.source = model.name() == "heuristic" ? Source::heuristic : Source::model;
        result.model = model.name();
        choice_.reckoned_on = with_bandwidths(device, model);
        return field;
    }

  private:
    void trust(const models::Predictor& model) {
        Selection& result = choice_.result;
        const Kernel& chosen = *choice_.kernels.find(result.chosen.id);
        const bool hub = chosen.variant.format == "hub";
        if (hub || chosen.variant.format == "tiles2d") {
            result.source = Source::heuristic;
            result.model = hub ? models::kHubModel : models::kTiles2dModel;
            result.confidence = hub ? models::kHubConfidence : models::kTiles2dConfidence;
            return;
        }
        result.confidence = model.confidence(chosen.variant, choice_.features(), choice_.device);
    }

    Choice<T, P>& choice_;
};

}  // namespace sptune::tuner
