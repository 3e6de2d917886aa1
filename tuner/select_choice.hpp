// One choice in the making: what has been found out for it, and how it is made among kernels of
// which times are known.
#pragma once

#include "features/constant_values.hpp"
#include "models/shortlist.hpp"
#include "tuner/select.hpp"
#include "tuner/select_field.hpp"
#include "tuner/select_limits.hpp"
#include "tuner/select_looks.hpp"
#include "tuner/select_reasons.hpp"
#include "tuner/select_small.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace sptune::tuner {

/// What those share that fill it in: select_small.hpp, select_stored.hpp, select_model.hpp.
template <class T, class P>
class Choice {
  public:
    using Kernel = SpmvKernel<T, P>;
    using Field = tuner::Field<T, P>;
    using Known = typename KernelIndex<T, P>::Known;

    /// Refers to all of them.
    Choice(const Chooser<T, P>& of, const KernelIndex<T, P>& among, const SelectOptions& wanted)
        : matrix(of),
          kernels(among),
          options(wanted),
          small(matrix, kernels, options),
          limits(kernels, options.constraints, lookup),
          looks_(kernels, limits, lookup) {}
    Choice(const Choice&) = delete;

    bool in_graphs() const { return options.in_graphs && matrix.backend == Backend::cuda; }
    double calls() const { return options.calls > 0 ? options.calls : kUnknownCalls; }

    const Features& features() {
        if (!known_features) known_features = matrix.features();
        return *known_features;
    }

    /// As far as a few of them tell, which will do for a prediction. On a GPU all kernels store
    /// values.
    bool seems_to_have_one_value() const {
        return matrix.backend == Backend::cpu && sptune::seems_to_have_one_value(matrix.view);
    }

    /// What is measured has to be told apart for sure: a pass over the values where they seem to be
    /// all the same.
    bool surely_has_one_value() {
        if (!one_value_)
            one_value_ = seems_to_have_one_value() && has_one_value(matrix.view, matrix.threads);
        return *one_value_;
    }

    /// KernelIndex::safe() of this matrix.
    const Kernel& safe_kernel() {
        if (const Kernel* safe = small.safe_kernel()) return *safe;
        if (!known_features) return kernels.safe(matrix.outline());
        return kernels.safe(
            {matrix.view.rows, matrix.view.nnz(), known_features->row_max, device.threads});
    }

    void note_safe(const Field& field) {
        const Kernel& safe = safe_kernel();
        for (const Entrant<T, P>& e : field)
            if (e.kernel == &safe && std::isfinite(e.predicted_us)) result.safe = e.ranked();
    }

    bool look(Field& field, const Known& known) {
        return looks_.look(field, known, calls(), features(), matrix.view, reckoned_on);
    }

    auto inspector() {
        return [this](const Kernel& kernel) {
            return kernel.inspect(matrix.view, features(), kernel.variant.params);
        };
    }

    /// Fills in the choice from `field`; false when nothing in it may be used. Only what is about
    /// to be chosen is inspected, since some layouts take a pass over the matrix for that. `known`:
    /// of what was predicted.
    template <class Inspect>
    bool decide(Field field, const Inspect& inspect, double worthwhile = models::kWorthwhile,
                const std::string& preferred = {}, const Known* known = nullptr) {
        std::erase_if(field, [&](const Entrant<T, P>& e) {
            return !limits.allow(e) || !std::isfinite(e.predicted_us);
        });
        put_in_order(field, calls(), kernels.baseline(), worthwhile, preferred);
        if (options.constraints.memory_bytes != ~0ull) {
            limits.keep_within_memory(field, known_features, inspect);
            put_in_order(field, calls(), kernels.baseline(), worthwhile, preferred);
        }
        while (!field.empty() && !limits.usable(field.front(), known_features, inspect)) {
            field.erase(field.begin());
            // What was too far behind the one that cannot be used may now be worth a look.
            if (!field.empty() && !field.front().measured && known && look(field, *known))
                put_in_order(field, calls(), kernels.baseline(), worthwhile, preferred);
        }
        if (field.empty()) return false;
        const auto chosen = field.begin();
        result.chosen = chosen->ranked();
        for (auto e = chosen + 1; e != field.end() && result.runners_up.size() < kRunnersUp; ++e)
            result.runners_up.push_back(e->ranked());
        note_alternatives(chosen, field.end());
        result.break_even_calls = break_even_calls(result.chosen, result.baseline);
        return true;
    }

    static constexpr std::size_t kRunnersUp = 4;

    const Chooser<T, P>& matrix;
    const KernelIndex<T, P>& kernels;
    const SelectOptions& options;
    db::Device device;       ///< without bandwidths
    db::Device reckoned_on;  ///< with them, where a model was asked
    std::optional<Features> known_features;
    Lookup lookup;
    SelectSmall<T, P> small;
    SelectLimits<T, P> limits;
    Selection result;

  private:
    /// From the choice on, the best first.
    void note_alternatives(typename Field::const_iterator chosen,
                           typename Field::const_iterator end) {
        std::vector<const Variant*> ranked;
        for (auto at = chosen; at != end; ++at) ranked.push_back(&at->kernel->variant);
        for (const std::size_t i : models::worth_trying(ranked))
            result.alternatives.push_back(chosen[static_cast<std::ptrdiff_t>(i)].ranked());
    }

    SelectLooks<T, P> looks_;
    std::optional<bool> one_value_;
};

}  // namespace sptune::tuner
