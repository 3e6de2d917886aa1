// Which kernel multiplies two sparse matrices when nothing may be measured.
#pragma once

#include "db/databases.hpp"
#include "features/product.hpp"
#include "kernels/variant.hpp"

#include <string>

namespace sptune::tuner {

struct ProductSelection {
    std::string id;
    std::string source;  ///< "database" where this pair was measured on this device, else "default"
    db::Place place = {};  ///< the database
};

/// For a pair with row pointers of type P. `databases` may be null. Kernels that they know
/// and this build or machine lacks are passed over.
template <class T, class P>
ProductSelection select_product(const ProductFeatures& product, Backend backend,
                                const db::Databases* databases, int threads);

}  // namespace sptune::tuner
