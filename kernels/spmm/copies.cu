// Vectors that lie one after another, multiplied as if they lay row by row: what an entry of A
// needs of them then lies together, which is worth two copies.
#include "kernels/spmm/copies.cuh"
#include "kernels/spmm/cuda.hpp"
#include "kernels/spmm/row_lengths.hpp"
#include "matrix/cuda/check.hpp"
#include "matrix/cuda/grid.hpp"
#include "matrix/cuda/launch.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace sptune::cuda {
namespace {

/// Where the copy of y begins: numbers behind the copy of x.
template <class T, class P>
std::size_t place_of_y(const CsrView<T, P>& a, std::size_t at_once) {
    constexpr std::size_t kAligned = 256 / sizeof(T);
    return (static_cast<std::size_t>(a.cols) * at_once + kAligned - 1) / kAligned * kAligned;
}

template <class T, class P>
struct Copied {
    CsrView<T, P> a;
    Epilogue<T> out;
    Vectors<const T> x;
    Vectors<T> y;
    const RowLengths& lengths;
    cudaStream_t stream;

    template <int Pack>
    void pass(std::size_t done, int count, T* x_pack, T* y_pack) const {
        if (a.cols > 0)
            launch_early(pack_kernel<T, Pack>, dim3(blocks_for(a.cols, kCopyRows)), kCopyThreads,
                         stream, x.from(done), std::int64_t{a.cols}, count, x_pack);
        multiply_many<T, P>(a, T{1}, Vectors<const T>::row_by_row(x_pack, Pack), T{0},
                            Vectors<T>::row_by_row(y_pack, Pack), Pack, &lengths, stream);
        launch_early(unpack_kernel<T, Pack>, dim3(blocks_for(a.rows, kCopyRows)), kCopyThreads,
                     stream, y_pack, std::int64_t{a.rows}, count, out, y.from(done));
    }
    /// Of no more vectors than are left: the last pass may be a smaller one.
    void pass(std::size_t done, std::size_t now, T* x_pack, T* y_pack) const {
        const int count = static_cast<int>(now);
        if (now <= 4) return pass<4>(done, count, x_pack, y_pack);
        if (now <= 8) return pass<8>(done, count, x_pack, y_pack);
        if (now <= 16) return pass<16>(done, count, x_pack, y_pack);
        pass<32>(done, count, x_pack, y_pack);
    }
};

}  // namespace

/// Four are worth it where sorted pieces are used for them, which takes several lanes.
template <class T>
std::size_t fewest_copied(const RowLengths& lengths) {
    return 4 * sizeof(T) > 16 && !lengths.sorted_pieces.empty() ? 4 : 8;
}

template <class T, class P>
std::uint64_t copied_bytes(CsrView<T, P> a, std::size_t at_once) {
    return (place_of_y(a, at_once) + static_cast<std::size_t>(a.rows) * at_once) * sizeof(T);
}

template <class T, class P>
void multiply_many_copied(CsrView<T, P> a, T alpha, Vectors<const T> x, T beta, Vectors<T> y,
                          std::size_t count, const RowLengths& lengths, std::size_t at_once,
                          void* memory, void* stream) {
    if (a.rows == 0) return;
    const Copied<T, P> copied{a, {alpha, beta}, x, y, lengths, static_cast<cudaStream_t>(stream)};
    T* const packs = static_cast<T*>(memory);
    for (std::size_t done = 0; done < count; done += at_once)
        copied.pass(done, std::min(count - done, at_once), packs, packs + place_of_y(a, at_once));
}

template std::size_t fewest_copied<SPTUNE_VALUE>(const RowLengths&);
#define SPTUNE_INSTANTIATE(P)                                                              \
    template std::uint64_t copied_bytes(CsrView<SPTUNE_VALUE, P>, std::size_t);            \
    template void multiply_many_copied(                                                    \
        CsrView<SPTUNE_VALUE, P>, SPTUNE_VALUE, Vectors<const SPTUNE_VALUE>, SPTUNE_VALUE, \
        Vectors<SPTUNE_VALUE>, std::size_t, const RowLengths&, std::size_t, void*, void*);
SPTUNE_INSTANTIATE(std::int32_t)
SPTUNE_INSTANTIATE(std::int64_t)

}  // namespace sptune::cuda
