// Choices of matrices so small that a program's loop waits for the launch of any kernel: without
// features and models (models/launch_bound.hpp).
#pragma once

#include "models/launch_bound.hpp"
#include "tuner/identify.hpp"
#include "tuner/kernel_index.hpp"
#include "tuner/select.hpp"
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
class SelectLaunches {
  public:
    using Kernel = SpmvKernel<T, P>;

    /// Refers to all of them.
    SelectLaunches(const Chooser<T, P>& matrix, const KernelIndex<T, P>& kernels,
                   const SelectOptions& options)
        : matrix_(matrix), kernels_(kernels), options_(options) {}

    /// Of matrices that are small enough for launches to decide, if they take long, so that it goes
    /// on beside what has to be found out anyway.
    void begin_look() {
        if (!matrix_.begin_look || !may_decide()) return;
        const std::int64_t nnz = matrix_.view.nnz(), rows = matrix_.view.rows;
        const std::int64_t mean = (nnz + rows - 1) / rows;  // the longest row is no shorter
        const Outline at_least = outline(mean);
        const Variant& safe = kernels_.safe(at_least).variant;
        const auto waits_for = [&](const models::Launching& launching) {
            return models::waits_for_launch(safe, at_least, matrix_.view.cols, launching);
        };
        // Most are too large whatever a launch takes, and need not know that.
        if (waits_for({.host_us = models::kLongestLaunchUs}) && waits_for(launching()))
            pending_ = matrix_.begin_look();
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

    /// The safe kernel becomes the choice, if nothing is faster than its launch.
    bool decide(Selection& result) {
        const Kernel* const safe = safe_kernel();
        if (!safe) return false;
        const Outline o = outline(look()->longest_row);
        const index_t cols = matrix_.view.cols;
        if (!models::waits_for_launch(safe->variant, o, cols, launching())) return false;
        if (options_.constraints.deterministic && !safe->variant.deterministic) return false;
        const auto in_loop = [&](const Kernel& kernel) {
            const double us = models::threads_per_row_us(kernel.variant, o, cols);
            return Ranked{kernels_.id(kernel), std::max(us, launching().host_us), 0};
        };
        const Kernel& plain = kernels_.baseline();
        result.chosen = result.safe = in_loop(*safe);
        result.baseline = in_loop(plain);
        if (safe != &plain) result.runners_up = {result.baseline};
        result.source = Source::heuristic;
        result.model = models::kLaunchBoundModel;
        result.confidence = models::kLaunchBoundConfidence;
        return true;
    }

  private:
    /// As far as what was asked for tells.
    bool may_decide() const {
        Constraints others = options_.constraints;
        others.deterministic = false;
        const bool in_graphs = options_.in_graphs && matrix_.backend == Backend::cuda;
        return options_.launches_may_decide && !options_.has_no_models() && !in_graphs &&
               others.are_none() && !std::isfinite(others.error) && matrix_.view.nnz() > 0;
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
