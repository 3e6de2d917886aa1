// CSR as the kernels use it: in place, or with the column indices compressed to 16 bits.
#pragma once

#include "kernels/spmv/kernel.hpp"
#include "kernels/spmv/shares_values.hpp"

namespace sptune {

/// The caller's row pointer and values; columns either the caller's (x32) or 16-bit offsets from
/// the first column of each row (x16), which need the row's span to be below 2^16.
template <class T, class P>
class CsrStorage final : public Storage, public SharesValues<T> {
  public:
    CsrView<T, P> a;
    Buffer<std::uint16_t> offset;  ///< nnz; empty for x32
    Buffer<index_t> base;          ///< rows; smallest column of each row; empty for x32

    std::uint64_t bytes() const override {
        const std::uint64_t nnz = static_cast<std::uint64_t>(a.nnz());
        const std::uint64_t columns =
            base.empty() ? nnz * sizeof(index_t) : offset.bytes() + base.bytes();
        return nnz * sizeof(T) + columns + (static_cast<std::uint64_t>(a.rows) + 1) * sizeof(P);
    }
    std::uint64_t held_bytes() const override { return offset.bytes() + base.bytes(); }
    std::uint64_t stored() const override { return static_cast<std::uint64_t>(a.nnz()); }
    void share(const T* values) override { a.values = values; }
};

/// Layout parameter x: bits of a column index, 16 or 32.
struct CsrFormat {
    static constexpr const char* name = "csr";

    template <class T, class P>
    static Footprint inspect(CsrView<T, P> a, const Features& features, const Params& params);
    template <class T, class P>
    static std::unique_ptr<Storage> convert(CsrView<T, P> a, const Params& params, int threads);
};

}  // namespace sptune
