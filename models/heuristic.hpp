// Roofline by hand: no training, any device. The fallback for machines that nobody has measured.
#pragma once

#include "models/predictor.hpp"

namespace sptune::models {

/// The larger of what the bytes take at the measured bandwidth, what the entries and rows take to
/// compute, what the gathers of x take, and how long the busiest thread is at it; plus the launch.
/// The constants of kernels are those of common cores: right within a factor, not within percents.
/// An option without bytes gets estimated_bytes().
class Heuristic final : public Predictor {
  public:
    std::string name() const override { return "heuristic"; }
    /// SpMV on any CPU and GPU.
    bool covers(Op op, ValueType value, const db::Device& device) const override;
    /// One or few parameter sets of each kernel: it cannot tell the others apart.
    bool knows(const Variant& variant) const override;
    std::vector<Prediction> predict(const Features& features, const db::Device& device,
                                    std::span<const Option> options) const override;
    /// 0.25 to 0.5, the higher the more dense diagonals or full blocks decide by themselves.
    double confidence(const Variant& chosen, const Features& features,
                      const db::Device& device) const override;
};

/// Read bandwidth of the device for a working set of `bytes`, GB/s, between the measured points on
/// a logarithmic scale; where nothing was measured, what is common in 2026. At least 1.
double bandwidth_gbs(const db::Device& device, double bytes);

/// What converting to the variant's layout costs, in microseconds, where one plain CSR SpMV takes
/// csr_us: typical times of this project's conversions, 0 for layouts that CSR already is.
double typical_convert_us(const Variant& variant, double csr_us);

}  // namespace sptune::models
