#include "tuner/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace sptune::tuner {
namespace {

double median_of_sorted(const std::vector<double>& v) {
    if (v.empty()) return 0;
    const std::size_t half = v.size() / 2;
    return v.size() % 2 ? v[half] : (v[half - 1] + v[half]) / 2;
}

}  // namespace

double median_of(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return median_of_sorted(values);
}

int interval_rank(int n) {
    // The interval misses when fewer than k samples lie on one side of the median: twice
    // P(Binomial(n, 1/2) < k) must stay within 5 %.
    if (n > 1000) return static_cast<int>(n / 2.0 - 0.98 * std::sqrt(n));  // normal approximation
    double term = std::ldexp(1.0, -n), below = term;
    int k = 0;
    while (2 * below <= 0.05) {
        term = term * (n - k) / (k + 1);
        below += term;
        ++k;
    }
    return std::max(k, 1);
}

Statistics summarize(std::vector<double> samples) {
    Statistics s;
    if (samples.empty()) return s;
    std::sort(samples.begin(), samples.end());
    s.count = static_cast<int>(samples.size());
    s.median = median_of_sorted(samples);
    s.min = samples.front();
    const auto k = static_cast<std::size_t>(interval_rank(s.count));
    s.ci_low = samples[k - 1];
    s.ci_high = samples[samples.size() - k];
    for (double& x : samples) x = std::abs(x - s.median);
    s.mad = median_of(std::move(samples));
    return s;
}

bool clearly_faster(const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> ratio(std::min(a.size(), b.size()));
    for (std::size_t i = 0; i < ratio.size(); ++i) ratio[i] = a[i] / b[i];
    return !ratio.empty() && summarize(std::move(ratio)).ci_high < 1;
}

}  // namespace sptune::tuner
