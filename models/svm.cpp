#include "models/svm.hpp"

#include "matrix/buffer.hpp"
#include "matrix/error.hpp"
#include "matrix/memory.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace sptune::models {
namespace {

double kernel(const float* a, const float* b, std::size_t dimensions, double gamma) {
    double distance = 0;
    for (std::size_t k = 0; k < dimensions; ++k) {
        const double d = static_cast<double>(a[k]) - static_cast<double>(b[k]);
        distance += d * d;
    }
    return std::exp(-gamma * distance);
}

/// exp(-γ · distance²) of all pairs of points, row by row.
Buffer<float> kernel_matrix(std::span<const float> points, std::size_t dimensions, double gamma) {
    constexpr std::size_t kTile = 64;  // mirrored while it is in the cache
    const std::size_t n = points.size() / dimensions;
    Buffer<float> matrix(n * n);
    for (std::size_t top = 0; top < n; top += kTile)
        for (std::size_t left = 0; left <= top; left += kTile)
            for (std::size_t i = top; i < std::min(top + kTile, n); ++i)
                for (std::size_t j = left; j < std::min(left + kTile, i + 1); ++j)
                    matrix[i * n + j] = matrix[j * n + i] = static_cast<float>(kernel(
                        &points[i * dimensions], &points[j * dimensions], dimensions, gamma));
    return matrix;
}

/// Minimises ½ αᵀQα - Σα under 0 ≤ α_i ≤ limit_i and Σ label_i α_i = 0, two α at a time.
class Smo {
  public:
    Smo(Buffer<float> kernels, std::span<const int> labels, std::vector<double> limits)
        : n_(labels.size()),
          kernels_(std::move(kernels)),
          labels_(labels.begin(), labels.end()),
          limits_(std::move(limits)),
          alpha_(n_, 0),
          pull_(labels.begin(), labels.end()) {}

    void run(double tolerance, int most_steps) {
        for (int step = 0; step < most_steps; ++step) {
            const std::size_t i = most_violating();
            if (i == n_) return;
            const std::size_t j = partner(i, tolerance);
            if (j == n_) return;
            move(i, j);
        }
    }

    /// From the free points, or the middle of what is allowed where there are none.
    double bias() const {
        double sum = 0, free = 0, low = -kInfinite, high = kInfinite;
        for (std::size_t i = 0; i < n_; ++i) {
            const double g = pull_[i];
            if (alpha_[i] > 0 && alpha_[i] < limits_[i])
                sum += g, free += 1;
            else if (limits_[i] > 0)
                (rises(i) ? low : high) = rises(i) ? std::max(low, g) : std::min(high, g);
        }
        if (free > 0) return sum / free;
        if (low == -kInfinite && high == kInfinite) return 0;
        if (low == -kInfinite) return high;
        return high == kInfinite ? low : (low + high) / 2;
    }
    const std::vector<double>& alpha() const { return alpha_; }

  private:
    static constexpr double kInfinite = std::numeric_limits<double>::infinity();

    /// Whether label · α may grow, or shrink.
    bool rises(std::size_t i) const {
        return labels_[i] > 0 ? alpha_[i] < limits_[i] : alpha_[i] > 0;
    }
    bool falls(std::size_t i) const {
        return labels_[i] > 0 ? alpha_[i] > 0 : alpha_[i] < limits_[i];
    }

    std::size_t most_violating() const {
        std::size_t best = n_;
        double most = -kInfinite;
        for (std::size_t i = 0; i < n_; ++i)
            if (pull_[i] > most && rises(i)) most = pull_[i], best = i;
        return best;
    }

    /// The one that lowers the objective most together with i; n_ when all is within tolerance.
    std::size_t partner(std::size_t i, double tolerance) const {
        std::size_t best = n_;
        double most = 0, lowest = kInfinite;
        for (std::size_t j = 0; j < n_; ++j) {
            const double gap = pull_[i] - pull_[j];
            if (gap <= 0 || !falls(j)) continue;
            lowest = std::min(lowest, pull_[j]);
            const double gain = gap * gap / curvature(i, j);
            if (gain > most) most = gain, best = j;
        }
        return pull_[i] - lowest > tolerance ? best : n_;
    }

    /// A point has a kernel of 1 with itself.
    double curvature(std::size_t i, std::size_t j) const {
        return std::max(2 - 2 * static_cast<double>(kernels_[i * n_ + j]), 1e-12);
    }

    /// Moves label_i α_i up and label_j α_j down by the same amount.
    void move(std::size_t i, std::size_t j) {
        double step = (pull_[i] - pull_[j]) / curvature(i, j);
        step = std::min(step, labels_[i] > 0 ? limits_[i] - alpha_[i] : alpha_[i]);
        step = std::min(step, labels_[j] > 0 ? alpha_[j] : limits_[j] - alpha_[j]);
        alpha_[i] = std::clamp(alpha_[i] + labels_[i] * step, 0.0, limits_[i]);
        alpha_[j] = std::clamp(alpha_[j] - labels_[j] * step, 0.0, limits_[j]);
        const float *of_i = &kernels_[i * n_], *of_j = &kernels_[j * n_];
        for (std::size_t k = 0; k < n_; ++k)
            pull_[k] -= step * (static_cast<double>(of_i[k]) - static_cast<double>(of_j[k]));
    }

    std::size_t n_;
    Buffer<float> kernels_;
    std::vector<int> labels_;
    std::vector<double> limits_, alpha_;
    std::vector<double> pull_;  ///< of label · α to grow: -label · gradient
};

}  // namespace

Svm::Svm(std::size_t dimensions, double gamma, double bias, std::vector<float> coefficients,
         std::vector<float> points)
    : dimensions_(dimensions),
      gamma_(gamma),
      bias_(bias),
      coefficients_(std::move(coefficients)),
      points_(std::move(points)) {
    const auto finite = [](float v) { return std::isfinite(v); };
    if (points_.size() != coefficients_.size() * dimensions_)
        throw Error("svm: the points do not match the coefficients");
    if (!std::isfinite(gamma_) || gamma_ < 0 || !std::isfinite(bias_) ||
        !std::all_of(points_.begin(), points_.end(), finite) ||
        !std::all_of(coefficients_.begin(), coefficients_.end(), finite))
        throw Error("svm: a value is not a number");
}

Svm Svm::train(std::size_t dimensions, std::span<const float> points, std::span<const int> labels,
               std::span<const double> weights, const SvmOptions& options) {
    const std::size_t n = labels.size();
    if (points.size() != n * dimensions || weights.size() != n)
        throw Error("svm: points, labels and weights do not match");
    require_memory("learning from " + std::to_string(n) + " points", training_bytes(n));
    std::vector<double> limits(n);
    for (std::size_t i = 0; i < n; ++i) limits[i] = options.cost * weights[i];
    Smo smo(kernel_matrix(points, dimensions, options.gamma), labels, std::move(limits));
    smo.run(options.tolerance, options.most_steps);
    std::vector<float> coefficients, support;
    for (std::size_t i = 0; i < n; ++i) {
        if (smo.alpha()[i] <= 0) continue;
        coefficients.push_back(static_cast<float>(labels[i] * smo.alpha()[i]));
        support.insert(support.end(), &points[i * dimensions],
                       &points[i * dimensions] + dimensions);
    }
    return {dimensions, options.gamma, smo.bias(), std::move(coefficients), std::move(support)};
}

double Svm::decide(std::span<const float> point) const {
    if (point.size() != dimensions_) throw Error("svm: another number of dimensions");
    double sum = bias_;
    for (std::size_t i = 0; i < coefficients_.size(); ++i)
        sum += static_cast<double>(coefficients_[i]) *
               kernel(&points_[i * dimensions_], point.data(), dimensions_, gamma_);
    return sum;
}

}  // namespace sptune::models
