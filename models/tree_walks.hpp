// From the roots of trees to their leaves.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sptune::models {

/// x[input] <= limit goes to the next node, else to `right`. A leaf has input -1 and its values at
/// `right` · outputs.
struct Node {
    std::int32_t input = -1;
    std::int32_t right = 0;
    float limit = 0;
};

/// at[i]: a root, which becomes the leaf that x leads to. Some nanoseconds for each.
void walk_to_leaves(const Node* nodes, const float* x, std::int32_t* at, std::size_t count);

}  // namespace sptune::models
