// What a model is asked, and what a choice makes of the answers.
#pragma once

#include "models/launching.hpp"
#include "models/one_value.hpp"
#include "models/predictor.hpp"
#include "tuner/cuda/host_launch.hpp"
#include "tuner/identify.hpp"
#include "tuner/kernel_index.hpp"
#include "tuner/select.hpp"
#include "tuner/select_field.hpp"
#include "tuner/thread_start.hpp"

#include <cmath>
#include <span>
#include <string_view>

namespace sptune::tuner {

/// Tells `device` what launches take in this process; what they take in graphs, where calls are
/// part of those. It changes from one moment to the next: a choice that may not, goes without.
inline void tell_launches(db::Device& device, const SelectOptions& options) {
    if (options.in_graphs) {
        device.host_launch_us = device.early_gap_us = device.launch_gap_us = 0;
    } else if (!options.constraints.deterministic) {
        if (const double us = host_launch_us(); us > 0) device.host_launch_us = us;
    }
}

/// This device with what `model` needs to know of it.
inline db::Device device_for(const models::Predictor& model, Backend backend,
                             const SelectOptions& options) {
    db::Device device = device_without_measuring(backend, options.threads, options.databases.get());
    if (backend == Backend::cuda)
        tell_launches(device, options);
    else if (!options.constraints.deterministic)  // as for launches
        device.launch_us = thread_start_us(device.threads);
    if (model.bandwidths_of(device).empty()) assume_bandwidths(device);
    return device;
}

/// The same for formulas, which need bandwidths: where `device` has none, those that `model` knows.
inline db::Device with_bandwidths(db::Device device, const models::Predictor& model) {
    if (device.bandwidth_gbs > 0 || !device.bandwidth_curve.empty()) return device;
    const auto known = model.bandwidths_of(device);
    device.bandwidth_curve.assign(known.begin(), known.end());
    return device;
}

/// Plain CSR and what matches the variants asked for.
template <class T, class P>
typename KernelIndex<T, P>::Known known_by_name(const KernelIndex<T, P>& kernels,
                                                const models::Predictor& model,
                                                std::string_view variants) {
    typename KernelIndex<T, P>::Known list;
    list.add(kernels.baseline(), model);
    for (const SpmvKernel<T, P>& kernel : kernels.kernels())
        if (&kernel != list.kernels.front() && matches(kernels.id(kernel), variants))
            list.add(kernel, model);
    return list;
}

/// Of `known`, the first of which is plain CSR, with what their libraries and their code take to
/// load and, on a GPU, what launches add. Empty where the model knows nothing of plain CSR.
template <class T, class P>
Field<T, P> predicted_field(const KernelIndex<T, P>& kernels,
                            const typename KernelIndex<T, P>::Known& known,
                            std::span<const models::Prediction> answers, const db::Device& device) {
    Field<T, P> field;
    const models::Launching launching = models::launching_of(device);
    if (!std::isfinite(answers.front().time_us)) return field;
    field.reserve(answers.size());
    for (std::size_t i = 0; i < answers.size(); ++i) {
        const auto [time_us, convert_us] = answers[i];
        if (!std::isfinite(time_us)) continue;
        const SpmvKernel<T, P>& kernel = *known.kernels[i];
        const Variant& v = kernel.variant;
        const double start_us = v.vendor         ? vendor_start_us(v.backend)
                                : convert_us > 0 ? kernels.load_us(kernel)
                                                 : 0;
        const double call_us =
            v.backend == Backend::cpu
                ? time_us
                : models::expected_us(time_us, known.launches[i], v.vendor, launching);
        field.push_back({&kernel, kernels.id(kernel), call_us, convert_us + start_us});
    }
    return field;
}

/// From times with values to times where all are the same and some kernels leave them `out`, or
/// back.
template <class T, class P>
void reckon_values(bool out, const Features& features, Field<T, P>& field) {
    for (Entrant<T, P>& e : field) {
        const double share = models::one_value_share(e.kernel->variant, features);
        e.predicted_us *= out ? share : 1 / share;
    }
}

}  // namespace sptune::tuner
