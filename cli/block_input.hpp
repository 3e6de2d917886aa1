// Reading any matrix as blocks.
#pragma once

#include "matrix/block_text.hpp"

#include <string>

namespace sptune::cli {

struct BlockInput {
    int m = 0;        ///< of the blocks; 0: what a .bsm file says
    int threads = 0;  ///< 0: all
};

/// A .bsm file as it is, or another matrix cut into blocks. Throws InputError, for a .bsm file of
/// other blocks and for values that are no unsigned 32-bit numbers where V is one, too; UsageError
/// where nothing says how large the blocks are.
template <class V>
BlockCsr<V> load_blocks(const std::string& path, const BlockInput& options);

/// "f32", "f64" or "u32".
BlockType parse_block_type(const std::string& word);

/// What use(V{}) returns, V being the type that `type` names.
template <class Use>
auto with_block_type(BlockType type, Use use) {
    switch (type) {
        case BlockType::f32:
            return use(float{});
        case BlockType::u32:
            return use(std::uint32_t{});
        case BlockType::f64:
            break;
    }
    return use(double{});
}

}  // namespace sptune::cli
