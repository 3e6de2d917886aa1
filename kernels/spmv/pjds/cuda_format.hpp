// pJDS on the GPU: all rows sorted by length, chunks of rows padded to their longest, entry j of
// all rows that are long enough stored together.
// Source: Kreutzer, Hager, Wellein, Fehske, Basermann, Bishop, "Sparse matrix-vector multiplication
// on GPGPU clusters: a new storage format and a scalable implementation", IPDPSW 2012.
#pragma once

#include "kernels/spmv/kernel.hpp"
#include "matrix/cuda/device_buffer.hpp"

namespace sptune::cuda {

template <class T>
class PjdsStorage final : public Storage {
  public:
    index_t rows = 0, cols = 0;
    int chunk = 0;                        ///< rows of a chunk, a power of two
    DeviceBuffer<index_t> order;          ///< stored row -> row of A
    DeviceBuffer<index_t> length;         ///< padded length of each chunk, falling
    DeviceBuffer<std::int64_t> diagonal;  ///< where each jagged diagonal begins
    DeviceBuffer<index_t> column;
    DeviceBuffer<T> values;

    std::uint64_t bytes() const override {
        return order.bytes() + length.bytes() + diagonal.bytes() + column.bytes() + values.bytes();
    }
    std::uint64_t stored() const override { return values.size(); }
};

/// Layout parameter c: rows of a chunk.
struct PjdsFormat {
    static constexpr const char* name = "pjds";
    static constexpr Backend backend = Backend::cuda;

    template <class T, class P>
    static Footprint inspect(CsrView<T, P> a, const Features& features, const Params& params);
    template <class T, class P>
    static std::unique_ptr<Storage> convert(CsrView<T, P> a, const Params& params, int threads);
};

}  // namespace sptune::cuda
