// Predictions as a test wants them.
#pragma once

#include "models/predictor.hpp"
#include "models/reckoned.hpp"

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sptune::tuner::fake {

class Model : public models::Predictor {
  public:
    using Predict = std::function<models::Prediction(const Variant&)>;
    explicit Model(Predict predict, std::string name = "fake")
        : predict_(std::move(predict)), name_(std::move(name)) {}

    std::string name() const override { return name_; }
    bool covers(Op op, ValueType, const db::Device& device) const override {
        return op == Op::spmv && device.backend == "cpu";
    }
    bool knows(const Variant& v) const override { return !models::is_reckoned(v.format); }
    std::vector<models::Prediction> predict(
        const Features&, const db::Device& device,
        std::span<const models::Option> options) const override {
        launch_us = device.launch_us;
        std::vector<models::Prediction> out;
        for (const models::Option& o : options) out.push_back(predict_(*o.variant));
        return out;
    }
    double confidence(const Variant&, const Features&, const db::Device&) const override {
        return 0.75;
    }

    std::span<const db::BandwidthPoint> bandwidths_of(const db::Device&) const override {
        return bandwidths;
    }

    mutable double launch_us = -1;  ///< of the device that was asked for last
    std::vector<db::BandwidthPoint> bandwidths;

  private:
    Predict predict_;
    std::string name_;
};

}  // namespace sptune::tuner::fake
