#include "models/folds.hpp"

#include <iterator>
#include <set>

namespace sptune::models {

Fold fold_of(const std::vector<const Sample*>& samples, int folds, int fold, Unit unit) {
    const auto unit_of = [&](const Sample* s) -> const std::string& {
        return unit == Unit::group ? s->group : s->name;
    };
    std::set<std::string> units;
    for (const Sample* s : samples) units.insert(unit_of(s));
    Fold result;
    for (const Sample* s : samples) {
        const auto number = std::distance(units.begin(), units.find(unit_of(s)));
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
