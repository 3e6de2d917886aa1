// The options of a plan, as the tuner takes them.
#pragma once

#include "kernels/variant.hpp"
#include "library/failures.hpp"
#include "tuner/plan.hpp"

namespace sptune::library {

/// For a matrix of these types in the memory of `backend`, but for the databases. With
/// SPTUNE_MODE=off plain CSR is all that is left. Throws UsageError for values that make no sense,
/// tuner::Unmet where another backend is asked for.
tuner::PlanOptions plan_options_of(const plan_options& options, Backend backend, ValueType value,
                                   IndexType index);

}  // namespace sptune::library
