#include "tuner/cuda/multiply_blocks.hpp"

#include "kernels/cuda_probe.hpp"
#include "kernels/spgemm/blocks/product.hpp"
#include "kernels/spgemm/blocks/tiles.hpp"
#include "matrix/memory.hpp"
#include "tuner/measure.hpp"

#include <algorithm>
#include <string>

namespace sptune::tuner {
namespace {

template <class V>
cuda::BlockMatrix<V> on_device(const BlockCsr<V>& host) {
    cuda::BlockMatrix<V> a;
    a.m = host.m;
    a.rows = host.rows, a.cols = host.cols;
    a.row_ptr = DeviceBuffer<std::int64_t>(host.ptr);
    a.col = DeviceBuffer<index_t>(host.col);
    a.values = DeviceBuffer<V>(host.values);
    return a;
}

cuda::BlockWalk walk_of(BlockSearch search) {
    return search == BlockSearch::rowwise        ? cuda::BlockWalk::rows
           : search == BlockSearch::two_pointers ? cuda::BlockWalk::merge
                                                 : cuda::BlockWalk::search;
}

/// Every place of a block counts as stored, but for what sticks out.
template <class V>
void fill_pattern(BlockCsr<V>& c) {
    const auto m = static_cast<std::size_t>(c.m);
    c.pattern = Buffer<std::uint32_t>(c.col.size() * m);
    const auto bits = [&](std::int64_t n) { return n >= 32 ? ~0u : n > 0 ? (1u << n) - 1 : 0u; };
    for (index_t i = 0; i < c.block_rows(); ++i)
        for (auto k = static_cast<std::size_t>(c.ptr[static_cast<std::size_t>(i)]);
             k < static_cast<std::size_t>(c.ptr[static_cast<std::size_t>(i) + 1]); ++k) {
            const std::int64_t left = std::int64_t{c.cols} - std::int64_t{c.col[k]} * c.m;
            for (std::size_t r = 0; r < m; ++r)
                c.pattern[k * m + r] =
                    static_cast<std::int64_t>(i) * c.m + static_cast<std::int64_t>(r) < c.rows
                        ? bits(std::min<std::int64_t>(left, c.m))
                        : 0u;
        }
}

template <class V>
void require_pair(const BlockCsr<V>& a, const BlockCsr<V>& b) {
    require_cuda();
    if (a.m != b.m || a.cols != b.rows)
        throw UsageError("blocked matrices of different block size, or sizes that do not match");
}

/// C without blocks.
template <class V>
BlockCsr<V> empty_product(const BlockCsr<V>& a, const BlockCsr<V>& b) {
    BlockCsr<V> c;
    c.m = a.m;
    c.rows = a.rows, c.cols = b.cols;
    c.ptr = Buffer<std::int64_t>(static_cast<std::size_t>(c.block_rows()) + 1, std::int64_t{0});
    return c;
}

/// Which blocks C has, in host memory; room for their values is looked for.
template <class V>
void take_pattern(const cuda::BlockPattern& pattern, BlockCsr<V>& c) {
    const std::uint64_t values = pattern.col.size() * static_cast<std::uint64_t>(c.m) *
                                 static_cast<std::uint64_t>(c.m) * sizeof(V);
    require_memory("the copy of C in the host's memory",
                   values + pattern.col.bytes() + pattern.row_ptr.bytes());
    c.ptr = pattern.row_ptr.to_host();
    c.col = pattern.col.to_host();
    fill_pattern(c);
}

/// The values of c's blocks out of a dense matrix, row by row.
template <class V>
void gather(const Buffer<V>& dense, BlockCsr<V>& c) {
    const auto m = static_cast<std::size_t>(c.m), rows = static_cast<std::size_t>(c.rows),
               cols = static_cast<std::size_t>(c.cols);
    c.values = Buffer<V>(c.col.size() * m * m);
#pragma omp parallel for schedule(static)
    for (index_t i = 0; i < c.block_rows(); ++i)
        for (auto k = static_cast<std::size_t>(c.ptr[static_cast<std::size_t>(i)]);
             k < static_cast<std::size_t>(c.ptr[static_cast<std::size_t>(i) + 1]); ++k)
            for (std::size_t r = 0; r < m; ++r) {
                const std::size_t row = static_cast<std::size_t>(i) * m + r;
                const std::size_t col = static_cast<std::size_t>(c.col[k]) * m;
                const std::size_t width = row < rows ? std::min(m, cols - col) : 0;
                V* const out = c.values.data() + (k * m + r) * m;
                std::fill_n(out, m, V{0});
                if (width) std::copy_n(dense.data() + row * cols + col, width, out);
            }
}

}  // namespace

template <class V>
MultipliedBlocks<V> multiply_blocks_cuda(const BlockCsr<V>& a, const BlockCsr<V>& b,
                                         BlockSearch search) {
    require_pair(a, b);
    if (a.m != 2 && a.m != 4 && a.m != 8 && a.m != 16 && a.m != 32)
        throw UsageError("blocks of " + std::to_string(a.m) + " × " + std::to_string(a.m) +
                         " cannot be multiplied; they can of 2, 4, 8, 16 and 32");
    MultipliedBlocks<V> out;
    out.c = empty_product(a, b);
    if (a.blocks() == 0 || b.blocks() == 0) return out;
    const cuda::BlockMatrix<V> device_a = on_device(a), device_b = on_device(b);
    SPTUNE_CUDA(cudaDeviceSynchronize());
    const double start = steady_us();
    cuda::BlockColumns columns;
    if (search != BlockSearch::rowwise) columns = cuda::columns_of(device_b);
    const cuda::BlockPattern pattern = cuda::pattern_of_product(device_a, device_b);
    const std::uint64_t places =
        pattern.col.size() * static_cast<std::uint64_t>(a.m) * static_cast<std::uint64_t>(a.m);
    if (places * sizeof(V) > device_available_memory())
        throw OutOfMemory("the product of blocks on the GPU", places * sizeof(V));
    DeviceBuffer<V> values(places);
    cuda::multiply_blocks<V>(walk_of(search), device_a, device_b, &columns, false,
                             {&pattern, values.data()});
    SPTUNE_CUDA(cudaDeviceSynchronize());
    out.multiply_us = steady_us() - start;
    take_pattern(pattern, out.c);
    out.c.values = values.to_host();
    return out;
}

template <class V>
MultipliedBlocks<V> multiply_tiles_cuda(const BlockCsr<V>& a, const BlockCsr<V>& b) {
    require_pair(a, b);
    if (a.m != cuda::kTile)
        throw UsageError("tiles are blocks of 8 × 8; these are of " + std::to_string(a.m) + " × " +
                         std::to_string(a.m));
    MultipliedBlocks<V> out;
    out.c = empty_product(a, b);
    if (a.blocks() == 0 || b.blocks() == 0) return out;
    const cuda::BlockMatrix<V> device_a = on_device(a), device_b = on_device(b);
    const std::uint64_t places =
        static_cast<std::uint64_t>(a.rows) * static_cast<std::uint64_t>(b.cols);
    if (places * sizeof(V) > device_available_memory())
        throw OutOfMemory("C as a dense matrix on the GPU", places * sizeof(V));
    SPTUNE_CUDA(cudaDeviceSynchronize());
    const double start = steady_us();
    DeviceBuffer<V> dense(places);
    {
        const auto left = cuda::tiles_of(device_a, cuda::Side::left),
                   right = cuda::tiles_of(device_b, cuda::Side::right);
        cuda::multiply_tiles(left, right, dense.data());
        SPTUNE_CUDA(cudaDeviceSynchronize());
    }
    out.multiply_us = steady_us() - start;
    take_pattern(cuda::pattern_of_product(device_a, device_b), out.c);
    require_memory("C as a dense matrix in the host's memory", dense.bytes());
    gather(dense.to_host(), out.c);
    return out;
}

#define SPTUNE_INSTANTIATE(V)                                                                 \
    template MultipliedBlocks<V> multiply_blocks_cuda(const BlockCsr<V>&, const BlockCsr<V>&, \
                                                      BlockSearch);                           \
    template MultipliedBlocks<V> multiply_tiles_cuda(const BlockCsr<V>&, const BlockCsr<V>&);
SPTUNE_INSTANTIATE(float)
SPTUNE_INSTANTIATE(double)
SPTUNE_INSTANTIATE(std::uint32_t)
#undef SPTUNE_INSTANTIATE

}  // namespace sptune::tuner
