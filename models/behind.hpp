// How far the kernels of a portfolio are behind the fastest of them: what trees learn.
#pragma once

#include "models/samples.hpp"

#include <vector>

namespace sptune::models {

/// Monotone, from [0, ∞) to [0, 1): differences between good kernels count in full, those between
/// bad ones hardly. And back.
double squeeze(double log_ratio);
double unsqueeze(double squeezed);

/// Of samples × kernels; NaN where a kernel was not measured.
struct Behind {
    std::vector<float> squeezed;  ///< squeeze(log(time / the least))
    std::vector<float> log;       ///< log(time / the least): what choosing the kernel costs
};

/// Of the kernels with these short names.
Behind behind_best(const std::vector<const Sample*>& samples,
                   const std::vector<std::string>& names);

}  // namespace sptune::models
