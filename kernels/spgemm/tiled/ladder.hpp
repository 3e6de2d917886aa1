// The tiled accumulator: C = A·B, TILE columns of C at a time, from the plainest kernel to the one
// tuned most. Each leaves C as triplets in any order, behind one counter.
#pragma once

#include "kernels/params.hpp"
#include "kernels/spgemm/kernel.hpp"
#include "matrix/cuda/device_buffer.hpp"

#include <memory>
#include <string>
#include <vector>

namespace sptune::cuda {

/// Where a kernel puts its triplets.
template <class T>
struct CooSink {
    index_t* row;
    index_t* col;
    T* value;
    unsigned long long* count;  ///< places taken so far
};

/// Room for the triplets of some rows.
template <class T>
struct CooBuffer {
    DeviceBuffer<index_t> row, col;
    DeviceBuffer<T> value;
    DeviceBuffer<unsigned long long> count{1};

    explicit CooBuffer(std::size_t capacity) : row(capacity), col(capacity), value(capacity) {}
    CooSink<T> sink() { return {row.data(), col.data(), value.data(), count.data()}; }
    static constexpr std::uint64_t kBytes = 2 * sizeof(index_t) + sizeof(T);  ///< of a triplet
};

/// Starts a kernel on rows [first, last) of A, at least one, in the default stream.
template <class T, class P>
using LadderRun = void (*)(const CsrView<T, P>& a, const CsrView<T, P>& b, index_t first,
                           index_t last, CooSink<T> to);

/// One point of the ladder: "tiled0" … "tiled4" and "tiled-prefix", with block and tile.
template <class T, class P>
struct LadderStep {
    std::string algorithm;
    Params params;
    LadderRun<T, P> run;
};

/// All points, for benchmarks that time the kernel alone.
template <class T>
std::vector<LadderStep<T, std::int32_t>> ladder_steps();

/// C as CSR from what `run` leaves behind. Room for the triplets is taken by the upper bound of
/// nnz(C) (min(products, columns) of each row). Where that does not fit, the rows are worked on in
/// chunks, twice: once to count, so that C can be allocated exactly, once to fill it.
template <class T, class P>
std::unique_ptr<Product<T, P>> multiply_tiled(const SpgemmProblem<T, P>& problem,
                                              const SpgemmOptions& options, LadderRun<T, P> run);

}  // namespace sptune::cuda
