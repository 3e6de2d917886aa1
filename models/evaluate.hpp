// How well models choose, on matrices that they have not seen.
#pragma once

#include "matrix/error.hpp"
#include "models/choosing.hpp"
#include "models/product_model.hpp"
#include "models/tree_model.hpp"

#include <functional>
#include <optional>

namespace sptune::models {

struct EvaluateOptions {
    int folds = 10;                    ///< by group; ignored where hold_out or given says otherwise
    std::string hold_out;              ///< glob of matrix names: train on the others, test on these
    double calls = 0;                  ///< conversion is spread over so many; 0: it does not count
    std::optional<TreeOptions> trees;  ///< default: usual_options()
    std::vector<const Predictor*> given;  ///< test these, trained elsewhere, beside simple ones
    /// The same where C = A·B was swept; the first that covers a device answers for it.
    std::vector<const ProductModel*> given_products;
    /// Called as folds are done, one call at a time.
    std::function<void(int done, int of)> progress;
};

/// What one way of choosing would have cost. Regret: cost of the chosen / cost of the best - 1.
struct Score {
    std::string name;
    int matrices = 0;
    /// Share whose format, of products also the algorithm, is that of the best.
    double right_format = 0;
    double within_5 = 0;          ///< share with a regret of at most 5 %
    double geomean = 0, p95 = 0;  ///< regret
    /// The same without the luck of the fastest, of matrices that were swept twice: the other sweep
    /// says which kernel is the fastest, this one times it. Below 0 where the chosen one is faster.
    struct WithoutLuck {
        int matrices = 0;
        double geomean = 0, p95 = 0;
    } without_luck;
    /// The matrices with the largest regrets, largest first.
    struct Miss {
        std::string matrix, chosen, best;
        double regret = 0;
    };
    std::vector<Miss> misses;
    double slower = 0;    ///< share that costs more than plain CSR
    double slower_5 = 0;  ///< by more than 5 %
    double speedup = 0;   ///< over plain CSR, geometric mean
    std::map<std::string, std::map<std::string, int>> confusion;  ///< best format -> chosen format
};

struct Evaluation {
    int matrices = 0, groups = 0;
    std::string protocol;  ///< "10 folds by family", …
    /// Models first, then what plans end up with that begin with the trees or the given models,
    /// then always CSR, vendor's best, and of matrices that were swept twice what the other sweep
    /// says: how far times repeat themselves. Of products the trees, the default and the baseline.
    std::vector<Score> scores;
    /// The first model once more, for each device by itself, named by its key; empty for one
    /// device.
    std::vector<Score> by_device;
};

class NothingToTest : public Error {
  public:
    using Error::Error;
};

/// Samples of one backend and one operation. Throws NothingToTest where there is nothing to train
/// on or to test with.
Evaluation evaluate(const std::vector<Sample>& samples, const EvaluateOptions& options);

}  // namespace sptune::models
