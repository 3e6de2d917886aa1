// Which kernel multiplies two sparse matrices when nothing may be measured.
#pragma once

#include "db/databases.hpp"
#include "features/product.hpp"
#include "kernels/variant.hpp"
#include "models/product_model.hpp"
#include "tuner/versions.hpp"

#include <functional>
#include <string>
#include <vector>

namespace sptune::tuner {

struct ProductSelection {
    std::string id;
    /// "database" where this pair was measured on this device, "model" where trees chose, else
    /// "default".
    std::string source;
    db::Place place = {};                ///< the database
    std::vector<std::string> next = {};  ///< if that is not legal for the pair, the best first
    /// What has changed since this pair was measured, which is why a measurement does not count
    /// where the source is not the database.
    std::string changed = {};
    bool complete = true;  ///< false: by a sweep that was stopped early or left kernels out
    std::string why = {};  ///< sentences; empty where select_product() has not chosen
};

/// Gives the model for a device, or nullptr; only asked where the database knows nothing.
using ProductModelFor = std::function<const models::ProductModel*(const db::Device&)>;

/// For a pair with row pointers of type P: what the database knows to be the fastest, conversion
/// included; else what the model takes, and without one spgemm_default(). `databases` may be null.
/// Kernels that they know and this build or machine lacks are passed over. `validate` is for what
/// the database says.
template <class T, class P>
ProductSelection select_product(const ProductFeatures& product, Backend backend,
                                const db::Databases* databases, const ProductModelFor& model_for,
                                int threads, Validate validate);

/// Of neither a database nor a model: what SPTUNE_MODE=off leaves.
template <class T, class P>
ProductSelection default_product(const ProductFeatures& product, Backend backend);

}  // namespace sptune::tuner
