// A first guess that needs no training: a kernel takes as long as what it has to move. It is right
// for kinds of matrices that nobody has seen, where what was learned of others is not. The network
// of network.hpp learns how far it is off.
#pragma once

#include "db/entry.hpp"
#include "features/features.hpp"
#include "kernels/variant.hpp"
#include "models/holding.hpp"

#include <array>
#include <vector>

namespace sptune::models {

/// Of the kernels of one portfolio, some of them perhaps with_least_block().
class Moving {
  public:
    explicit Moving(const std::vector<Variant>& kernels);

    /// For each kernel log(its bytes / the least), where bytes are those of A as held, of x and y,
    /// and as many as a core could move while a call starts.
    std::vector<float> behind(const Features& features, const db::Device& device,
                              ValueType value) const;

  private:
    std::array<std::vector<Layout>, 2> layouts_;  ///< each once, of f32 and of f64
    std::vector<std::size_t> layout_;             ///< of each kernel
};

}  // namespace sptune::models
