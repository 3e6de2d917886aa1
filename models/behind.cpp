#include "models/behind.hpp"

#include "models/portfolio.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sptune::models {

double squeeze(double log_ratio) {
    return log_ratio / (1 + log_ratio);
}

double unsqueeze(double squeezed) {
    // A little below 0 is as good as 0 is for the best; close to 1 the inverse would explode.
    const double s = std::clamp(squeezed, -0.5, 0.95);
    return s / (1 - s);
}

Behind behind_best(const std::vector<const Sample*>& samples,
                   const std::vector<std::string>& names) {
    Behind all;
    all.log.assign(samples.size() * names.size(), std::numeric_limits<float>::quiet_NaN());
    all.squeezed = all.log;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const auto times = portfolio_times(*samples[i], names);
        double best = samples[i]->baseline_us();
        for (const Timed* t : times)
            if (t && !t->bounded) best = std::min(best, t->us);
        for (std::size_t k = 0; k < times.size(); ++k) {
            if (!times[k]) continue;
            const double behind = std::max(std::log(times[k]->us / best), 0.0);
            all.log[i * names.size() + k] = static_cast<float>(behind);
            all.squeezed[i * names.size() + k] = static_cast<float>(squeeze(behind));
        }
    }
    return all;
}

}  // namespace sptune::models
