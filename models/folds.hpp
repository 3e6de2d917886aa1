// What is held out of training, to test with.
#pragma once

#include "models/samples.hpp"

#include <string>
#include <vector>

namespace sptune::models {

struct Fold {
    std::vector<const Sample*> train, test;
};

/// What is never cut in two.
enum class Unit { group, matrix };

/// The parts of samples for which `folds` folds by `unit` hold fold `fold` out.
Fold fold_of(const std::vector<const Sample*>& samples, int folds, int fold,
             Unit unit = Unit::group);

/// All samples of matrices whose names match `glob` are held out.
Fold held_out(const std::vector<const Sample*>& samples, const std::string& glob);

}  // namespace sptune::models
