// Vectors that lie one after another, multiplied as if they lay row by row: what an entry of A
// needs of them then lies together, which is worth two copies.
#include "kernels/spmm/copies.cuh"
#include "kernels/spmm/cuda.hpp"
#include "kernels/spmm/pack_memory.hpp"
#include "matrix/cuda/check.hpp"
#include "matrix/cuda/grid.hpp"
#include "matrix/cuda/launch.hpp"

#include <algorithm>
#include <bit>

namespace sptune::cuda {

namespace {

constexpr int kLeast = 4, kMost = 32;
/// More vectors at once than fit into so much, but the least number, take more passes.
constexpr std::uint64_t kMostBytes = 256u << 20;

template <class T, class P>
struct Copied {
    CsrView<T, P> a;
    Epilogue<T> out;
    Vectors<const T> x;
    Vectors<T> y;
    const RowLengths* lengths;
    cudaStream_t stream;

    template <int Pack>
    void pass(std::size_t done, std::size_t now, T* x_pack, T* y_pack) const {
        const int count = static_cast<int>(now);
        launch_early(pack_kernel<T, Pack>, dim3(blocks_for(a.cols, kCopyRows)), kCopyThreads,
                     stream, x.from(done), std::int64_t{a.cols}, count, x_pack);
        multiply_many<T, P>(a, T{1}, Vectors<const T>::row_by_row(x_pack, Pack), T{0},
                            Vectors<T>::row_by_row(y_pack, Pack), Pack, lengths, stream);
        launch_early(unpack_kernel<T, Pack>, dim3(blocks_for(a.rows, kCopyRows)), kCopyThreads,
                     stream, y_pack, std::int64_t{a.rows}, count, out, y.from(done));
    }
    void pass(std::size_t pack, std::size_t done, std::size_t now, T* x_pack, T* y_pack) const {
        if (pack <= kLeast) return pass<kLeast>(done, now, x_pack, y_pack);
        if (pack <= 8) return pass<8>(done, now, x_pack, y_pack);
        if (pack <= 16) return pass<16>(done, now, x_pack, y_pack);
        pass<kMost>(done, now, x_pack, y_pack);
    }
};

}  // namespace

template <class T, class P>
void multiply_many_copied(CsrView<T, P> a, T alpha, Vectors<const T> x, T beta, Vectors<T> y,
                          std::size_t count, const RowLengths& lengths, PackMemory& memory,
                          void* stream) {
    if (a.rows == 0 || count == 0) return;
    constexpr std::size_t kAligned = 256 / sizeof(T);
    const auto size = [&](std::size_t of, std::size_t pack) {
        return (of * pack + kAligned - 1) / kAligned * kAligned;
    };
    const auto rows = static_cast<std::size_t>(a.rows), cols = static_cast<std::size_t>(a.cols);
    std::size_t most = kMost;
    while (most > kLeast && (rows + cols) * most * sizeof(T) > kMostBytes) most /= 2;
    most = std::clamp<std::size_t>(std::bit_ceil(count), kLeast, most);
    const std::size_t y_at = size(cols, most);
    const Copied<T, P> copied{a, {alpha, beta}, x, y, &lengths, static_cast<cudaStream_t>(stream)};
    memory.with((y_at + size(rows, most)) * sizeof(T), copied.stream, [&](std::byte* bytes) {
        T* const packs = reinterpret_cast<T*>(bytes);
        for (std::size_t done = 0; done < count; done += most) {
            const std::size_t now = std::min(count - done, most);
            copied.pass(std::bit_ceil(now), done, now, packs, packs + y_at);
        }
    });
}

#define SPTUNE_INSTANTIATE(P)                                                              \
    template void multiply_many_copied(                                                    \
        CsrView<SPTUNE_VALUE, P>, SPTUNE_VALUE, Vectors<const SPTUNE_VALUE>, SPTUNE_VALUE, \
        Vectors<SPTUNE_VALUE>, std::size_t, const RowLengths&, PackMemory&, void*);
SPTUNE_INSTANTIATE(std::int32_t)
SPTUNE_INSTANTIATE(std::int64_t)

}  // namespace sptune::cuda
