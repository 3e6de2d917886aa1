// Two-class support vector machine with a radial kernel, in which each training point has its own
// price of being wrong.
// Sources: Platt, "Sequential minimal optimization", MSR-TR-98-14, 1998; the choice of the pair
// after Fan, Chen, Lin, "Working set selection using second order information for training support
// vector machines", JMLR 6, 2005; weights of single points as in Yang, Song, Wang, "A weighted
// support vector machine for data classification", IJPRAI 21(5), 2007.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sptune::models {

struct SvmOptions {
    double cost = 1;     ///< of a point of weight 1
    double gamma = 0.2;  ///< of exp(-gamma · distance²)
    double tolerance = 1e-3;
    int most_steps = 200'000;
};

class Svm {
  public:
    Svm() = default;
    /// As stored: `points` are coefficients.size() × dimensions. Throws Error for sizes that do not
    /// fit and for numbers that are not finite.
    Svm(std::size_t dimensions, double gamma, double bias, std::vector<float> coefficients,
        std::vector<float> points);

    /// Bytes that train() needs for so many points.
    static std::uint64_t training_bytes(std::size_t points) {
        return std::uint64_t{points} * points * sizeof(float);
    }
    /// `points` are labels.size() × dimensions, labels 1 or -1, weights at least 0. Throws
    /// OutOfMemory.
    static Svm train(std::size_t dimensions, std::span<const float> points,
                     std::span<const int> labels, std::span<const double> weights,
                     const SvmOptions& options = {});

    /// Above 0 the point belongs to label 1.
    double decide(std::span<const float> point) const;

    std::size_t dimensions() const { return dimensions_; }
    double gamma() const { return gamma_; }
    double bias() const { return bias_; }
    const std::vector<float>& coefficients() const { return coefficients_; }
    const std::vector<float>& points() const { return points_; }

  private:
    std::size_t dimensions_ = 0;
    double gamma_ = 0, bias_ = 0;
    std::vector<float> coefficients_;  ///< label · α of each support vector
    std::vector<float> points_;
};

}  // namespace sptune::models
