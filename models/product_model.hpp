// Which kernel multiplies a pair of sparse matrices: trees predict, for each kernel of a portfolio,
// how far it is behind the fastest. As TreeModel does for SpMV, without times in microseconds and
// without conversions, which are part of the time of a product.
#pragma once

#include "models/forest.hpp"
#include "models/portfolio.hpp"

#include <vector>

namespace sptune::models {

struct ProductOptions {
    PortfolioOptions portfolio{.vendor = 0};  ///< cuSPARSE's kernels were never the fastest
    ForestOptions forest{.trees = 200, .depth = 5, .rate = 0.06};
    ChoiceOptions choice{.trees = 40, .step = 0.1};
};

class ProductModel {
  public:
    /// As stored.
    struct Parts {
        Backend backend = Backend::cpu;
        std::vector<std::string> device_keys;  ///< that it was trained on
        bool for_these_alone = false;          ///< there is a model of other devices beside it
        std::vector<Variant> portfolio;        ///< the baseline first; types say nothing
        Forest behind;  ///< outputs: for each of the portfolio squeeze(log(time / the least))
    };
    /// Throws Error where the parts do not fit together.
    explicit ProductModel(Parts parts);

    /// From samples of products on one backend, at least one.
    static ProductModel train(const std::vector<const Sample*>& samples,
                              const ProductOptions& options = {});

    /// The portfolio, the one to take first. Some microseconds.
    std::vector<const Variant*> ranking(const ProductFeatures& product, const db::Device& device,
                                        ValueType value) const;

    /// Whether it speaks for this device.
    bool covers(const db::Device& device) const;

    const Parts& parts() const { return parts_; }

  private:
    Parts parts_;
};

}  // namespace sptune::models
