#include "models/folds.hpp"

#include <iterator>
#include <set>

namespace sptune::models {

Fold fold_of(const std::vector<const Sample*>& samples, int folds, int fold) {
    std::set<std::string> groups;
    for (const Sample* s : samples) groups.insert(s->group);
    Fold result;
    for (const Sample* s : samples) {
        const auto number = std::distance(groups.begin(), groups.find(s->group));
        (number % folds == fold ? result.test : result.train).push_back(s);
    }
    return result;
}

Fold held_out(const std::vector<const Sample*>& samples, const std::string& glob) {
    Fold result;
    for (const Sample* s : samples)
        (matches(s->name, glob) ? result.test : result.train).push_back(s);
    return result;
}

}  // namespace sptune::models
