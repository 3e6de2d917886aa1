// What a handful of noisy times says about the true one. Knows nothing of clocks.
#pragma once

#include <vector>

namespace sptune::tuner {

struct Statistics {
    double median = 0;
    double mad = 0;  ///< median absolute deviation from the median
    double min = 0;
    /// Confidence interval of the median, at least 95 % sure from six samples on (fewer give
    /// [min, max]: 94 % for five, 75 % for three). Between two order statistics, so that nothing is
    /// assumed about the distribution. Source: Le Boudec, "Performance Evaluation of Computer and
    /// Communication Systems", theorem 2.1.
    double ci_low = 0, ci_high = 0;
    int count = 0;

    /// Half width of the interval as a share of the median.
    double noise() const { return median > 0 ? (ci_high - ci_low) / 2 / median : 0; }
};

/// All zeros for no samples.
Statistics summarize(std::vector<double> samples);

/// Median of `values`, 0 for none.
double median_of(std::vector<double> values);

/// The largest k for which the k-th smallest and the k-th largest of `n` samples enclose the median
/// with at least 95 % confidence; 1 where even the extremes do not.
int interval_rank(int n);

/// Whether `a` is smaller than `b` beyond noise: the interval of the median of a_i / b_i lies below
/// 1. Sample i of both must have been taken side by side, so that what disturbed one disturbed the
/// other as well; what follows the shorter of the two is left out.
bool clearly_faster(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace sptune::tuner
