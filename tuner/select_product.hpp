// Which kernel multiplies two sparse matrices when nothing may be measured.
#pragma once

#include "db/store.hpp"
#include "features/product.hpp"
#include "kernels/variant.hpp"

#include <string>

namespace sptune::tuner {

struct ProductSelection {
    std::string id;
    std::string source;  ///< "database" where this pair was measured on this device, else "default"
};

/// For a pair with row pointers of type P. `store` may be null. Kernels that the database knows and
/// this build or machine lacks are passed over.
template <class T, class P>
ProductSelection select_product(const ProductFeatures& product, Backend backend,
                                const db::Store* store, int threads);

}  // namespace sptune::tuner
