// The few dozen kernels among which a model chooses. Most of the grid is a few percent from a
// sibling on every matrix, less than a model can tell; leaving it out costs next to nothing and
// makes both learning and choosing easier.
#pragma once

#include "models/samples.hpp"

namespace sptune::models {

struct PortfolioOptions {
    std::size_t most = 40;      ///< of our own kernels, before the best of formats that are missing
    std::size_t vendor = 4;     ///< of a vendor's, which may be missing where the model is used
    bool least_blocks = false;  ///< names of with_least_block() are among them
    double least_gain = 1e-4;   ///< in mean log time over all samples; who brings less stays out
};

/// Short names (see short_name()), the baseline first, then of SpMV the safe choices (all_safe());
/// then greedily the kernel that brings the best of the chosen closest to the best of all, in mean
/// log time; then the best of each format that is not there yet, for those whom constraints keep
/// from the others; then vendors' kernels.
std::vector<std::string> choose_portfolio(const std::vector<const Sample*>& samples,
                                          const PortfolioOptions& options = {});

/// The kernels with these short names as measured for a sample; nullptr where they were not.
std::vector<const Timed*> portfolio_times(const Sample& sample,
                                          const std::vector<std::string>& names);
/// The variants with these short names.
std::vector<Variant> portfolio_variants(const std::vector<const Sample*>& samples,
                                        const std::vector<std::string>& names);

/// Equal for variants with the same short_name(), whatever their types; without making a string.
std::uint64_t short_hash(const Variant& variant);
/// short_hash(with_least_block(variant)), without making a variant.
std::uint64_t least_block_hash(const Variant& variant);

}  // namespace sptune::models
