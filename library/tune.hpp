// SPTUNE_MODE=tune: what the database does not know is measured before it is chosen.
#pragma once

#include "db/databases.hpp"
#include "kernels/variant.hpp"
#include "matrix/csr.hpp"

#include <string>

namespace sptune::library {

/// Seconds that one sweep may take.
inline constexpr double kTuningSeconds = 10;

/// Sweeps `a`, which lies in the memory of `backend`, unless one of `databases` has an entry of it,
/// and stores what was found in the first. Returns a sentence about that, empty where there was
/// nothing to do. Throws nothing: a program goes on without, and the sentence says why.
template <class T, class P>
std::string tune(CsrView<T, P> a, Backend backend, int threads, const db::Databases& databases);

}  // namespace sptune::library
