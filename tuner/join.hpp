// What sweeps of one matrix have found at different times, each of a part of the kernels.
#pragma once

#include "db/entry.hpp"

#include <vector>

namespace sptune::tuner {

/// Takes out the candidates whose kernel is another by now, or gone: they are not among `kernels`
/// with the same hash. Those of a vendor's library stay; it may only not be there today.
void drop_changed(db::Entry& entry, const std::vector<Variant>& kernels);

/// Where all values were the same for one of the two alone (Provenance::one_value), takes out of
/// `stored` the times of kernels that leave such values out.
void drop_other_values(db::Entry& stored, const db::Entry& now);

/// Times of `before` are among those of `now`, which so is as old as they are to whoever asks what
/// has changed since (versions.hpp).
void keep_versions(db::Entry& now, const db::Entry& before);

/// `now`, and what `before` knows of kernels that it lacks or did not reach. Times of different
/// runs compare roughly, so only the winners of the two are held against each other. Complete where
/// both are.
db::Entry join(db::Entry now, const db::Entry& before);

}  // namespace sptune::tuner
