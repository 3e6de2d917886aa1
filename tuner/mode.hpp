// $SPTUNE_MODE, for whoever runs a program.
#pragma once

namespace sptune::tuner {

enum class Mode { read, off, tune };

/// Read where the variable is empty or not set. Throws UsageError for another word.
Mode mode();

}  // namespace sptune::tuner
