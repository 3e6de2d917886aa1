// Choosing by what databases say of the matrix.
#pragma once

#include "db/databases.hpp"
#include "models/launching.hpp"
#include "tuner/kernel_index.hpp"
#include "tuner/select_choice.hpp"
#include "tuner/select_model.hpp"
#include "tuner/stored_digest.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace sptune::tuner {

/// What `digest` has measured of kernels that are here and have not changed since, in a loop or, as
/// far as that is known, in graphs. `lookup` gets to know of the others.
template <class T, class P>
Field<T, P> field_of(const db::Digest& digest, const KernelIndex<T, P>& kernels, bool in_graphs,
                     Lookup& lookup) {
    Field<T, P> field;
    for (const db::Measured& c : digest.fastest) {
        const SpmvKernel<T, P>* kernel = kernels.find(c.id);
        const bool changed = kernel && c.kernel_hash != kernel->variant.kernel_hash;
        if (kernel && !changed) {
            const double us = in_graphs && c.device_us > 0 ? c.device_us : c.median_us;
            field.push_back({kernel, kernels.id(*kernel), us, c.convert_us, true});
            continue;
        }
        ++lookup.stale;
        if (c.id == digest.winner)
            lookup.notes.push_back(
                fmt::format("{}, stored as the fastest, {}", c.id,
                            kernel ? "has changed since" : "is unknown to this build or machine"));
    }
    return field;
}

/// Among its fastest ones.
inline bool has_measured(const db::Digest& digest, std::string_view id) {
    return std::any_of(digest.fastest.begin(), digest.fastest.end(),
                       [&](const db::Measured& c) { return c.id == id; });
}

/// Whether stored features can be those of `a`, which has this fingerprint.
template <class T, class P>
bool is_of(CsrView<T, P> a, const Features& f, std::uint64_t fingerprint) {
    return f.fingerprint == fingerprint && f.rows == a.rows && f.cols == a.cols && f.nnz == a.nnz();
}

/// Of one choice.
template <class T, class P>
class SelectStored {
  public:
    using Kernel = SpmvKernel<T, P>;
    using Field = tuner::Field<T, P>;

    /// Refers to both.
    SelectStored(Choice<T, P>& choice, SelectModel<T, P>& model) : choice_(choice), model_(model) {}

    /// While a GPU looks at the matrix.
    void glance() {
        if (!choice_.options.databases) return;
        for (const db::Databases::Item& item : choice_.options.databases->all())
            glances_.push_back(item.store.glance());
    }

    /// A stored measurement decides, if there is one for this device and the constraints.
    /// fingerprint() is asked for where there are databases. `only`: no model is to be asked.
    template <class Fingerprint>
    bool decide(const Fingerprint& fingerprint, bool only) {
        const auto& databases = choice_.options.databases;
        if (!databases || databases->all().empty()) return false;
        choice_.lookup.asked = true;
        const std::uint64_t print = fingerprint();
        const auto& all = databases->all();
        for (std::size_t i = 0; i < all.size(); ++i) {
            const Selection before = choice_.result;
            const db::Glance& seen = glances_.empty() ? nullptr : glances_[i];
            if (decide_by(all[i], print, seen, only)) return true;
            choice_.result = before;
        }
        return false;
    }

  private:
    static constexpr double kConfidenceInOtherValues = 0.8;

    bool decide_by(const db::Databases::Item& item, std::uint64_t print, const db::Glance& seen,
                   bool only) {
        const KernelIndex<T, P>& kernels = choice_.kernels;
        Lookup& lookup = choice_.lookup;
        Selection& result = choice_.result;
        db::Missed missed;
        const auto digest = stored(item.store, print, seen, missed);
        lookup.add(missed, item.place);
        if (!digest ||
            !lookup.accepts(*digest, kernels.find(digest->winner) != nullptr, choice_.device,
                            choice_.options.validate, "matrix") ||
            lookup.passes_over(*digest))
            return false;
        lookup.found = true;
        Field field = field_of(*digest, kernels, choice_.in_graphs(), lookup);
        const auto plain = std::find_if(field.begin(), field.end(), [&](const auto& e) {
            return e.kernel == &kernels.baseline();
        });
        if (plain == field.end()) return false;
        result.baseline = plain->ranked();
        result.other_values = of_other_values(*digest);
        if (result.other_values) reckon_values(!digest->one_value, digest->features, field);
        choice_.note_safe(field);
        const bool as_measured = !choice_.in_graphs() && !result.other_values;
        const std::string fastest = as_measured ? digest->winner : std::string();
        nothing_beats(fastest, field);
        const bool has_winner = field.front().id == fastest;
        const Ranked winner = has_winner ? field.front().ranked() : Ranked{};
        // A kernel that has run on this matrix is legal for it. Where it is not, the entry was made
        // by something else, and the rest of it is not to be believed either.
        const Features& known = is_of(choice_.matrix.view, digest->features, print)
                                    ? digest->features
                                    : choice_.features();
        std::string refused;
        const auto inspect = [&](const Kernel& kernel) {
            const Footprint f = kernel.inspect(choice_.matrix.view, known, kernel.variant.params);
            if (!f.illegal.empty() && refused.empty())
                refused = fmt::format("{}, stored as fast, cannot be used on this matrix: {}",
                                      kernels.id(kernel), f.illegal);
            return f;
        };
        const bool decided = choice_.decide(std::move(field), inspect, 1, fastest);
        if (!refused.empty()) lookup.notes.push_back(refused);
        if (!decided || !refused.empty()) return false;
        result.source = Source::exact;
        result.confidence = result.other_values ? kConfidenceInOtherValues : 1;
        lookup.place = item.place, lookup.altered = digest->altered;
        lookup.winner = winner;
        // With other values another kernel may be the fastest, and some have been passed over.
        result.complete = digest->complete && !result.other_values;
        result.cores_busy = digest->cores_busy;
        if (!result.complete && !only) offer_the_rest(*digest);
        return true;
    }

    std::optional<db::Digest> stored(const db::Store& store, std::uint64_t print,
                                     const db::Glance& seen, db::Missed& missed) {
        const auto read = [&](db::Extent extent) {
            return stored_digest<P>(store, Op::spmv, value_type_of<T>(), choice_.device.key, print,
                                    &missed, extent, seen);
        };
        // The fastest in a loop need not be among the fastest in graphs.
        const bool any = choice_.options.constraints.are_none() && !choice_.in_graphs();
        auto digest = read(any ? db::Extent::most : db::Extent::all);
        // What was left out has to be told from what was slow, and other values change the order.
        if (digest && any && (!digest->complete || of_other_values(*digest)))
            digest = read(db::Extent::all);
        return digest;
    }

    bool of_other_values(const db::Digest& digest) {
        return choice_.matrix.backend == Backend::cpu &&
               digest.one_value != choice_.surely_has_one_value();
    }

    /// A sweep that was cut short or restricted says nothing of the other kernels: those that a
    /// model expects to be faster become alternatives, on the scale of what was measured.
    void offer_the_rest(const db::Digest& digest) {
        const KernelIndex<T, P>& kernels = choice_.kernels;
        Selection& result = choice_.result;
        for (const models::Predictor* model : model_.covering()) {
            const Selection measured = result;
            Field field = model_.predictions(*model, kernels.known_to(*model));
            const double scale = measured.baseline.predicted_us / result.baseline.predicted_us;
            result = measured;
            if (field.empty()) continue;
            const double launch_us = launch_us_beside(measured.chosen);
            std::erase_if(field, [&](Entrant<T, P>& e) {
                e.predicted_us *= scale, e.convert_us *= scale;
                if (choice_.matrix.backend == Backend::cuda)
                    e.predicted_us = std::max(e.predicted_us,
                                              models::launches_of(e.kernel->variant) * launch_us);
                return !choice_.limits.allow(e) || has_measured(digest, e.id) ||
                       e.predicted_us >= measured.chosen.predicted_us;
            });
            put_in_order(field, choice_.calls(), kernels.baseline(), 1, {});
            for (const Entrant<T, P>& e : field) {
                if (!choice_.limits.usable(e, choice_.known_features, choice_.inspector()))
                    continue;
                Ranked& unmeasured = choice_.lookup.unmeasured;
                if (unmeasured.id.empty()) unmeasured = e.ranked();
                if (result.alternatives.size() >= 2 * Choice<T, P>::kRunnersUp) break;
                result.alternatives.push_back(e.ranked());
            }
            return;
        }
    }

    /// What a launch takes at least on a GPU, as of this process, or of the one that measured
    /// `chosen` if that waited for it.
    double launch_us_beside(const Ranked& chosen) const {
        constexpr double kAlike = 1.5;
        const double here_us = models::launching_of(choice_.reckoned_on).host_us;
        const Kernel* kernel = choice_.kernels.find(chosen.id);
        const double there_us =
            kernel ? chosen.predicted_us / models::launches_of(kernel->variant) : 0;
        return there_us < kAlike * here_us ? std::max(here_us, there_us) : here_us;
    }

    Choice<T, P>& choice_;
    SelectModel<T, P>& model_;
    std::vector<db::Glance> glances_;  // at all databases, or at none
};

}  // namespace sptune::tuner
