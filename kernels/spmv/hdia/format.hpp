// HDIA: rows cut into slices of C, each with diagonals of its own. Where a diagonal is occupied
// inside a slice, x is read from neighbouring places and one index serves C entries; what lies off
// those diagonals is padded and indexed as in SELL. On a CPU what a very long row has off them is
// stored beside the slices.
// Source: the hacked diagonals of Filippone, Cardellini, Barbieri, Fanfarillo, "Sparse
// matrix-vector multiplication on GPGPUs", ACM TOMS 43(4), 2017; the SELL part beside them is ours,
// so that diagonals may be left out.
#pragma once

#include "kernels/spmv/kernel.hpp"
#include "kernels/spmv/long_rows.hpp"

namespace sptune {

template <class T>
class HdiaStorage final : public Storage {
  public:
    index_t rows = 0;
    int c = 0;
    Buffer<std::int64_t> slice_ptr;  ///< slices + 1; first stored value of each slice
    Buffer<std::int64_t> run_ptr;    ///< slices + 1; first diagonal of each slice
    Buffer<index_t> start;           ///< of each diagonal: its column in the slice's first row
    Buffer<index_t> column;          ///< of each value off the diagonals
    Buffer<T> values;                ///< of a slice: the diagonals, then the rest, C at a time
    LongRows<T> beside;

    index_t slices() const { return static_cast<index_t>(slice_ptr.size()) - 1; }
    std::uint64_t bytes() const override {
        return slice_ptr.bytes() + run_ptr.bytes() + start.bytes() + column.bytes() +
               values.bytes() + beside.bytes();
    }
    std::uint64_t stored() const override { return values.size() + beside.values.size(); }
};

/// Layout parameters: c (rows of a slice), f (least occupation of a diagonal in percent of c).
struct HdiaFormat {
    static constexpr const char* name = "hdia";

    template <class T, class P>
    static Footprint inspect(CsrView<T, P> a, const Features& features, const Params& params);
    template <class T, class P>
    static std::vector<LayoutEstimate> estimate(CsrView<T, P> a, const Features& features,
                                                std::span<const Params> params);
    template <class T, class P>
    static std::unique_ptr<Storage> convert(CsrView<T, P> a, const Params& params, int threads);
};

namespace hdia {

/// How many slices of c rows there are.
constexpr index_t slices_of(index_t rows, int c) {
    return static_cast<index_t>((std::int64_t{rows} + c - 1) / c);
}

}  // namespace hdia
}  // namespace sptune
