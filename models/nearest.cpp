#include "models/nearest.hpp"

#include "matrix/error.hpp"
#include "models/inputs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sptune::models {

Nearest::Nearest(std::vector<const Sample*> samples) : samples_(std::move(samples)) {
    if (samples_.empty()) throw Error("nearest neighbour: there is nobody");
    const std::size_t n = input_names().size();
    const auto count = static_cast<double>(samples_.size());
    std::vector<double> sum(n), squares(n);
    for (const Sample* s : samples_) {
        const auto x = inputs(s->features, s->device, s->value);
        points_.insert(points_.end(), x.begin(), x.end());
        for (std::size_t k = 0; k < n; ++k)
            sum[k] += x[k], squares[k] += static_cast<double>(x[k]) * x[k];
    }
    for (std::size_t k = 0; k < n; ++k) {
        const double mean = sum[k] / count;
        const double deviation = std::sqrt(std::max(squares[k] / count - mean * mean, 0.0));
        mean_.push_back(static_cast<float>(mean));
        scale_.push_back(deviation > 1e-6 ? static_cast<float>(1 / deviation) : 0.0f);
    }
    for (std::size_t i = 0; i < points_.size(); ++i)
        points_[i] = (points_[i] - mean_[i % n]) * scale_[i % n];
}

bool Nearest::covers(Op op, ValueType, const db::Device& device) const {
    return op == Op::spmv && device.backend == samples_.front()->device.backend;
}

std::vector<Prediction> Nearest::predict(const Features& features, const db::Device& device,
                                         std::span<const Option> options) const {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    std::vector<Prediction> out(options.size(), {kNever, kNever});
    if (options.empty()) return out;
    const auto x = inputs(features, device, options.front().variant->value);
    const Sample* nearest = nullptr;
    double least = kNever;
    for (std::size_t i = 0; i < samples_.size(); ++i) {
        double distance = 0;
        for (std::size_t k = 0; k < x.size(); ++k) {
            const double d = (x[k] - mean_[k]) * scale_[k] - points_[i * x.size() + k];
            distance += d * d;
        }
        if (distance < least) least = distance, nearest = samples_[i];
    }
    if (!nearest) return out;  // features beyond all bounds
    std::map<std::string, const Timed*> known;
    for (const Timed& t : nearest->timed) known.emplace(short_name(t.variant), &t);
    for (std::size_t i = 0; i < options.size(); ++i)
        if (const auto t = known.find(short_name(*options[i].variant)); t != known.end())
            out[i] = {t->second->us, t->second->convert_us};
    return out;
}

}  // namespace sptune::models
