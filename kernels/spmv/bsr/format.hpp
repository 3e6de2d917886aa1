// BSR: dense r×c blocks. Blocks begin at any column (greedily, at the first column not yet
// covered), which needs fewer of them than blocks on a fixed grid. Source of unaligned blocks:
// Vuduc and Moon, "Fast sparse matrix-vector multiplication by exploiting variable block
// structure", HPCC 2005.
#pragma once

#include "kernels/spmv/kernel.hpp"

namespace sptune {

template <class T>
class BsrStorage final : public Storage {
  public:
    index_t rows = 0;
    Buffer<std::int64_t> block_ptr;  ///< block rows + 1
    Buffer<index_t> column;          ///< first column of each block
    Buffer<T> values;                ///< r·c for each block, column by column

    index_t block_rows() const { return static_cast<index_t>(block_ptr.size() - 1); }
    std::uint64_t bytes() const override {
        return block_ptr.bytes() + column.bytes() + values.bytes();
    }
    std::uint64_t stored() const override { return values.size(); }
};

/// Layout parameters r and c. The columns of each row must be sorted.
struct BsrFormat {
    static constexpr const char* name = "bsr";

    template <class T, class P>
    static Footprint inspect(CsrView<T, P> a, const Features& features, const Params& params);
    template <class T, class P>
    static std::unique_ptr<Storage> convert(CsrView<T, P> a, const Params& params, int threads);
};

}  // namespace sptune
