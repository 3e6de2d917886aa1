// What every model answers: how long each kernel would take on a matrix that nobody has measured.
#pragma once

#include "db/entry.hpp"
#include "features/features.hpp"
#include "kernels/variant.hpp"

#include <span>
#include <string>
#include <vector>

namespace sptune::models {

/// A kernel that may run, with what is known of it without converting.
struct Option {
    const Variant* variant = nullptr;
    std::uint64_t bytes = 0;  ///< moved by one call: A, x and y; 0: as estimated_bytes() has it
    std::uint64_t place = 0;  ///< Predictor::place_of() of who is asked; 0: to be looked up
};

/// Microseconds. Infinite for an option that the model does not know.
struct Prediction {
    double time_us = 0;     ///< of one call, warm
    double convert_us = 0;  ///< once; 0 for CSR
};

/// Immutable and safe to share between threads.
class Predictor {
  public:
    virtual ~Predictor() = default;
    virtual std::string name() const = 0;
    /// Whether it knows this operation on this class of device.
    virtual bool covers(Op op, ValueType value, const db::Device& device) const = 0;
    /// Whether predictions for `variant` are worth asking for. The grid has a thousand variants and
    /// most of them are never more than a few percent ahead of a sibling: ask once for each, keep
    /// the few dozen that are known, and offer only those to predict().
    virtual bool knows(const Variant& variant) const = 0;
    /// Where the model has what it knows of this variant; 0: nowhere, or it need not be looked up.
    /// Who offers the same options again and again asks for it once.
    virtual std::uint64_t place_of(const Variant&) const { return 0; }
    /// Bandwidths of devices with this key, empty where it has none. Where it has, predict() needs
    /// no others.
    virtual std::span<const db::BandwidthPoint> bandwidths_of(const db::Device&) const {
        return {};
    }
    /// One prediction for each option, in their order.
    virtual std::vector<Prediction> predict(const Features& features, const db::Device& device,
                                            std::span<const Option> options) const = 0;
    /// How sure it is of a kernel that it holds to be the best, 0 to 1.
    virtual double confidence(const Variant& chosen, const Features& features,
                              const db::Device& device) const = 0;
};

}  // namespace sptune::models
