// Choices of small matrices at sight, without features and models: where a program's loop waits for
// the launch of any kernel (models/launch_bound.hpp), or one kernel suffices
// (models/small_tiles.hpp).
#pragma once

#include "models/launch_bound.hpp"
#include "models/small_tiles.hpp"
#include "tuner/identify.hpp"
#include "tuner/kernel_index.hpp"
#include "tuner/select.hpp"
#include "tuner/select_field.hpp"
#include "tuner/select_predict.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace sptune::tuner {

/// Of one choice.
template <class T, class P>
class SelectSmall {
  public:
    using Kernel = SpmvKernel<T, P>;

    /// Refers to all of them.
    SelectSmall(const Chooser<T, P>& matrix, const KernelIndex<T, P>& kernels,
                const SelectOptions& options)
        : matrix_(matrix), kernels_(kernels), options_(options) {}

    /// Of matrices that are small enough: it goes on beside what has to be found out anyway.
    /// Whether there is one.
    bool begin_look() {
        if (matrix_.begin_look && may_decide() && (may_be_tiles() || may_wait_for_launches()))
            pending_ = matrix_.begin_look();
        return pending_ != nullptr;
    }

    /// nullptr where none was begun.
    const FirstLook* look() {
        if (pending_) {
            const auto pending = std::move(pending_);  // others may go on
            look_ = pending->wait();
        }
        return look_ ? &*look_ : nullptr;
    }

    /// As the look tells; nullptr without one.
    const Kernel* safe_kernel() {
        const FirstLook* const seen = look();
        return seen ? &kernels_.safe(outline(seen->longest_row)) : nullptr;
    }

    /// The safe kernel becomes the choice, if nothing is faster than its launch, or hardly
    /// anything than tiles.
    bool decide(Selection& result) {
        const Kernel* const safe = safe_kernel();
        if (!safe) return false;
        if (options_.constraints.deterministic && !safe->variant.deterministic) return false;
        const Outline o = outline(look()->longest_row);
        const Kernel& plain = kernels_.baseline();
        const Ranked baseline = in_loop(plain, threads_per_row_us(plain, o));
        if (waits_for_launch(*safe, o)) {
            result.chosen = in_loop(*safe, threads_per_row_us(*safe, o));
            result.model = models::kLaunchBoundModel;
            result.confidence = models::kLaunchBoundConfidence;
        } else if (small_may_decide() && models::tiles_suffice(safe->variant, o)) {
            Ranked tiles = in_loop(*safe, models::small_tiles_us(value_type_of<T>(), o));
            tiles.convert_us = models::kSmallTilesConvertUs + kernels_.load_us(*safe);
            if (!models::tiles_pay(tiles.predicted_us, tiles.convert_us, baseline.predicted_us,
                                   options_.calls))
                return false;
            result.chosen = tiles;
            result.model = models::kSmallTilesModel;
            result.confidence = models::kSmallTilesConfidence;
        } else {
            return false;
        }
        result.at_sight = true;
        result.source = Source::heuristic;
        result.safe = result.chosen;
        result.baseline = baseline;
        result.break_even_calls = break_even_calls(result.chosen, baseline);
        if (safe != &plain) result.runners_up = {baseline};
        return true;
    }

  private:
    /// As far as what was asked for tells.
    bool may_decide() const {
        Constraints others = options_.constraints;
        others.deterministic = false;
        const bool in_graphs = options_.in_graphs && matrix_.backend == Backend::cuda;
        return options_.at_sight != AtSight::nothing && !options_.has_no_models() && !in_graphs &&
               others.are_none() && !std::isfinite(others.error) && matrix_.view.nnz() > 0;
    }

    bool small_may_decide() const { return options_.at_sight == AtSight::small; }

    bool may_be_tiles() const { return small_may_decide() && models::small_for_tiles(outline(-1)); }

    bool may_wait_for_launches() {
        const std::int64_t nnz = matrix_.view.nnz(), rows = matrix_.view.rows;
        const Outline at_least = outline((nnz + rows - 1) / rows);  // the longest row is no shorter
        const Variant& safe = kernels_.safe(at_least).variant;
        const auto waits_for = [&](const models::Launching& launching) {
            return models::waits_for_launch(safe, at_least, matrix_.view.cols, launching);
        };
        // Most are too large whatever a launch takes, and need not know that.
        return waits_for({.host_us = models::kLongestLaunchUs}) && waits_for(launching());
    }

    bool waits_for_launch(const Kernel& kernel, const Outline& o) {
        return models::waits_for_launch(kernel.variant, o, matrix_.view.cols, launching());
    }

    double threads_per_row_us(const Kernel& kernel, const Outline& o) const {
        return models::threads_per_row_us(kernel.variant, o, matrix_.view.cols);
    }

    Ranked in_loop(const Kernel& kernel, double us) {
        return {kernels_.id(kernel), std::max(us, launching().host_us), 0};
    }

    Outline outline(std::int64_t longest_row) const {
        return {matrix_.view.rows, matrix_.view.nnz(), longest_row, matrix_.threads};
    }

    const models::Launching& launching() {
        if (!launching_) {
            db::Device device;
            tell_launches(device, options_);
            if (!device.host_launch_us)
                device = device_without_measuring(matrix_.backend, options_.threads,
                                                  options_.databases.get());
            launching_ = models::launching_of(device);
        }
        return *launching_;
    }

    const Chooser<T, P>& matrix_;
    const KernelIndex<T, P>& kernels_;
    const SelectOptions& options_;
    std::unique_ptr<PendingLook> pending_;
    std::optional<FirstLook> look_;
    std::optional<models::Launching> launching_;
};

}  // namespace sptune::tuner
