// Tables of block-sparse products on the GPU, as Markdown on standard output.
#pragma once

namespace sptune::bench {

/// n = 8192 … 32768 with m = 4 and 8, with 1, 10 and 50 % of the blocks.
void block_tables();

/// n = 32768, m = 8, 8.8 million blocks each.
void block_record();

}  // namespace sptune::bench
