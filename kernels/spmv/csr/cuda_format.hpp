// CSR on the GPU: as it is, and cut into tiles that a block can stage in shared memory.
#pragma once

#include "kernels/spmv/kernel.hpp"
#include "kernels/spmv/pieces.hpp"
#include "kernels/spmv/shares_values.hpp"
#include "matrix/cuda/device_buffer.hpp"

namespace sptune::cuda {

/// The caller's arrays.
template <class T, class P>
class CsrStorage final : public Storage, public SharesValues<T> {
  public:
    explicit CsrStorage(CsrView<T, P> view) : a(view) {}
    CsrView<T, P> a;

    std::uint64_t bytes() const override;
    std::uint64_t held_bytes() const override { return 0; }
    std::uint64_t stored() const override { return static_cast<std::uint64_t>(a.nnz()); }
    void share(const T* values) override { a.values = values; }
};

/// No layout parameters, no conversion.
struct CsrFormat {
    static constexpr const char* name = "csr";
    static constexpr Backend backend = Backend::cuda;

    template <class T, class P>
    static Footprint inspect(CsrView<T, P> a, const Features& features, const Params& params);
    template <class T, class P>
    static std::unique_ptr<Storage> convert(CsrView<T, P> a, const Params& params, int threads);
};

/// Rows of about the same work together. All that a block has to know before it can ask for
/// entries, in one place: on small matrices the time goes into loads that wait for each other.
template <class P>
struct CsrTile {
    P begin = 0;        ///< first entry
    index_t first = 0;  ///< first row
    int rows = 0;
    int entries = 0;
    index_t base = -1;  ///< x16: smallest column; -1: 2^16 columns or more, use col_idx
};

/// The caller's arrays, and rows put together to tiles: row r belongs to tile (row_ptr[r] + r) / n.
/// So a tile holds at most n rows and less than 2n entries, but for rows of more than n entries:
/// those are long, always the last of their tile, and done by blocks of their own, several where a
/// row has more than piece_entries.
/// After Greathouse and Daga, "Efficient sparse matrix-vector multiplication on GPUs using the CSR
/// storage format", SC 2014, with tiles found in parallel.
template <class T, class P>
class CsrTilesStorage final : public Storage, public SharesValues<T> {
  public:
    CsrView<T, P> a;
    int n = 0;
    DeviceBuffer<CsrTile<P>> tile;
    DeviceBuffer<std::uint16_t> offset;  ///< x16: entries; column - base, in narrow tiles only

    P piece_entries = 0;  ///< of a long row, in a block; a multiple of n
    Pieces<T> pieces;

    std::uint64_t moved_bytes = 0;  ///< of A, read by one call

    index_t tiles() const { return static_cast<index_t>(tile.size()); }
    std::uint64_t bytes() const override { return moved_bytes; }
    std::uint64_t held_bytes() const override {
        return tile.bytes() + offset.bytes() + pieces.bytes() + pieces.scratch_bytes();
    }
    std::uint64_t stored() const override { return static_cast<std::uint64_t>(a.nnz()); }
    bool exclusive() const override { return pieces.add_up(); }
    void share(const T* values) override { a.values = values; }
};

/// Layout parameters n (rows and entries of a tile) and x (bits of a column index where the tile's
/// columns allow it).
struct CsrTilesFormat {
    static constexpr const char* name = "csr";
    static constexpr Backend backend = Backend::cuda;

    template <class T, class P>
    static Footprint inspect(CsrView<T, P> a, const Features& features, const Params& params);
    template <class T, class P>
    static std::unique_ptr<Storage> convert(CsrView<T, P> a, const Params& params, int threads);
};

/// The caller's arrays, cut into tiles of exactly n rows and entries together, without regard to
/// where rows begin; what a tile knows of a row that it does not end is carried to the next.
/// Source: Merrill and Garland, "Merge-based parallel sparse matrix-vector multiplication", SC
/// 2016.
template <class T, class P>
class CsrMergeStorage final : public Storage, public SharesValues<T> {
  public:
    CsrView<T, P> a;
    int n = 0;
    DeviceBuffer<index_t> tile_row;  ///< tiles + 1; rows ended before each tile
    mutable DeviceBuffer<T> carry;   ///< tiles; scratch of apply

    index_t tiles() const { return static_cast<index_t>(tile_row.size()) - 1; }
    std::uint64_t bytes() const override;
    std::uint64_t held_bytes() const override { return tile_row.bytes() + carry.bytes(); }
    std::uint64_t stored() const override { return static_cast<std::uint64_t>(a.nnz()); }
    bool exclusive() const override { return true; }
    void share(const T* values) override { a.values = values; }
};

/// Layout parameter m: rows and entries of a tile.
struct CsrMergeFormat {
    static constexpr const char* name = "csr";
    static constexpr Backend backend = Backend::cuda;

    template <class T, class P>
    static Footprint inspect(CsrView<T, P> a, const Features& features, const Params& params);
    template <class T, class P>
    static std::unique_ptr<Storage> convert(CsrView<T, P> a, const Params& params, int threads);
};

}  // namespace sptune::cuda
