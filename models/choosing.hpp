// What a predictor's answers lead to on a matrix whose times are known.
#pragma once

#include "models/samples.hpp"

namespace sptune::models {

/// What `predictor` takes of all that was measured, for a program's loop: the least predicted time
/// + conversion / calls (0: conversion does not count), or plain CSR where that is not worthwhile.
const Timed& chosen_by(const Predictor& predictor, const Sample& sample, double calls);

/// What is chosen before any predictor is asked, since a loop waits for its launch anyway
/// (launch_bound.hpp); nullptr where predictors decide.
const Timed* chosen_by_launches(const Sample& sample);

/// The same, or tiles where they suffice (small_tiles.hpp): of a choice that nobody tries.
const Timed* chosen_at_sight(const Sample& sample, double calls);

/// What is chosen_by_launches(), or else a plan ends up with that begins with the safe kernel,
/// offers chosen_by(), worth_trying() and plain CSR, and has calls enough to try all that may be
/// the fastest (tuner/contract.hpp).
const Timed& settled_by(const Predictor& predictor, const Sample& sample);

}  // namespace sptune::models
