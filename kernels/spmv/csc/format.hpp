// CSC in bands of rows: each thread owns a band, so that columns scatter into y without atomics.
#pragma once

#include "kernels/spmv/kernel.hpp"

namespace sptune {

template <class T>
class CscStorage final : public Storage {
  public:
    struct Band {
        index_t first_row = 0, last_row = 0;
        Buffer<std::int64_t> col_ptr;  ///< cols + 1
        Buffer<index_t> row;
        Buffer<T> values;
    };
    index_t cols = 0;
    std::vector<Band> bands;

    std::uint64_t bytes() const override {
        std::uint64_t sum = 0;
        for (const Band& b : bands) sum += b.col_ptr.bytes() + b.row.bytes() + b.values.bytes();
        return sum;
    }
    std::uint64_t stored() const override {
        std::uint64_t sum = 0;
        for (const Band& b : bands) sum += b.values.size();
        return sum;
    }
};

/// Layout parameter w: bands, 1 or as many as there are threads, but no more than OpenMP offers.
struct CscFormat {
    static constexpr const char* name = "csc";

    template <class T, class P>
    static Footprint inspect(CsrView<T, P> a, const Features& features, const Params& params);
    template <class T, class P>
    static std::unique_ptr<Storage> convert(CsrView<T, P> a, const Params& params, int threads);
};

}  // namespace sptune
