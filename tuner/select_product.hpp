// Which kernel multiplies two sparse matrices when nothing may be measured.
#pragma once

#include "db/databases.hpp"
#include "features/product.hpp"
#include "kernels/variant.hpp"
#include "models/product_model.hpp"

#include <string>

namespace sptune::tuner {

struct ProductSelection {
    std::string id;
    /// "database" where this pair was measured on this device, "model" where trees chose, else
    /// "default".
    std::string source;
    db::Place place = {};  ///< the database
};

/// For a pair with row pointers of type P: what the database knows to be the fastest, conversion
/// included; else what `model` takes, and without one spgemm_default(). `databases` and `model` may
/// be null. Kernels that they know and this build or machine lacks are passed over.
template <class T, class P>
ProductSelection select_product(const ProductFeatures& product, Backend backend,
                                const db::Databases* databases, const models::ProductModel* model,
                                int threads);

}  // namespace sptune::tuner
