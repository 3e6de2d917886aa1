// SELL-C-σ: rows sorted by length in windows of σ, cut into slices of C rows, each padded to its
// longest row and stored column by column. On a CPU no window reaches from one thread's share of
// the rows into the next, rows keep their order where sorting saves too little, and a few that are
// very long are stored beside the slices. Values that are all the same, as those of a graph without
// weights, are not stored where the kernels for C rows know of that. Source:
// Kreutzer, Hager, Wellein, Fehske, Bishop, "A unified sparse matrix data format …", SIAM J. Sci.
// Comput. 36(5), 2014.
#pragma once

#include "kernels/spmv/kernel.hpp"
#include "kernels/spmv/long_rows.hpp"

#include <optional>

namespace sptune {

template <class T>
class SellStorage final : public Storage {
  public:
    index_t rows = 0;
    int c = 0;
    int index_bits = 32;
    Buffer<std::int64_t> slice_ptr;  ///< slices + 1; first stored entry of each slice
    Buffer<index_t> order;           ///< stored row -> row of A; empty where it is the same
    Buffer<index_t> column;          ///< for x32
    Buffer<std::uint16_t> offset;    ///< for x16: column - base of the slice
    Buffer<index_t> base;            ///< for x16
    Buffer<T> values;                ///< none where `one` has the value of all
    LongRows<T> beside;

    /// Of a matrix whose entries are all the same: then padding has to be told from them.
    struct One {
        T value;
        Buffer<index_t> full;  ///< for each slice: columns that all its rows fill
        Buffer<T> length;      ///< of each stored row, `c` for each slice; a whole number
    };
    std::optional<One> one;

    index_t slices() const { return static_cast<index_t>(slice_ptr.size() - 1); }
    std::uint64_t bytes() const override {
        return slice_ptr.bytes() + order.bytes() + column.bytes() + offset.bytes() + base.bytes() +
               values.bytes() + (one ? one->full.bytes() + one->length.bytes() : 0) +
               beside.bytes();
    }
    std::uint64_t stored() const override {
        return static_cast<std::uint64_t>(slice_ptr[slices()]) + beside.values.size();
    }
};

/// Layout parameters: c, s (σ; kAll: all rows, on a CPU of a share), x (bits of a column index: 16
/// or 32).
struct SellFormat {
    static constexpr const char* name = "sell";

    template <class T, class P>
    static Footprint inspect(CsrView<T, P> a, const Features& features, const Params& params);
    template <class T, class P>
    static std::unique_ptr<Storage> convert(CsrView<T, P> a, const Params& params, int threads);
};

}  // namespace sptune
