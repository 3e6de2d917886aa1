// The median of runs.
#pragma once

#include <algorithm>
#include <vector>

namespace sptune::bench {

/// Of at least one; the upper one of the two in the middle.
inline double median(std::vector<double> v) {
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

}  // namespace sptune::bench
