// Several lanes of a warp have a row: neighbouring ones have neighbouring vectors, as many as one
// load brings, so that what they fetch of x for an entry of A lies together (as in GE-SpMM: Huang,
// Dai, Wang and Yang, SC 2020); where that leaves lanes, they have other entries. Long rows are the
// work of whole blocks.
#include "kernels/cuda/device.cuh"
#include "kernels/spmm/cuda.hpp"
#include "kernels/spmm/row_lengths.hpp"
#include "matrix/cuda/check.hpp"
#include "matrix/cuda/grid.hpp"
#include "matrix/cuda/launch.hpp"

#include <algorithm>
#include <cstdint>

namespace sptune::cuda {
namespace {

constexpr int kBlock = 256;

/// Entries of `W` vectors that lie side by side, fetched at once.
template <class T, int W>
struct alignas(W * sizeof(T)) SideBySide {
    static constexpr int kVectors = W;
    T of[W];

    struct Reader {
        const T* x;
        std::ptrdiff_t step;
        __device__ SideBySide at(std::ptrdiff_t row) const {
            return *reinterpret_cast<const SideBySide*>(x + row);
        }
    };
    __device__ void store(const Epilogue<T>& out, T* y, std::ptrdiff_t) const {
        auto& to = *reinterpret_cast<SideBySide*>(y);
        SideBySide result{};
        if (out.beta != T{0}) result = to;
#pragma unroll
        for (int v = 0; v < W; ++v) out.store(of[v], result.of + v);
        to = result;
    }
};

/// Entries of `V` vectors that lie anywhere.
template <class T, int V>
struct Apart {
    static constexpr int kVectors = V;
    T of[V];

    struct Reader {
        const T* x;
        std::ptrdiff_t step;
        __device__ Apart at(std::ptrdiff_t row) const {
            Apart a;
#pragma unroll
            for (int v = 0; v < V; ++v) a.of[v] = x[row + v * step];
            return a;
        }
    };
    __device__ void store(const Epilogue<T>& out, T* y, std::ptrdiff_t step) const {
#pragma unroll
        for (int v = 0; v < V; ++v) out.store(of[v], y + v * step);
    }
};

/// What a lane has of the vectors of a pass: `Lanes` lanes have Held::kVectors each, of which
/// `count` is a multiple. Those without any do what the first one does, and store nothing.
template <class T, class Held, int Lanes>
struct Own {
    std::int64_t vector;
    bool has_any;
    Vectors<T> y;
    typename Held::Reader x;
    std::ptrdiff_t row_step;

    __device__ Own(const Vectors<const T>& from, const Vectors<T>& to, std::int64_t count)
        : Own(from, to, count,
              (std::int64_t{blockIdx.y} * Lanes + threadIdx.x % Lanes) * Held::kVectors) {}

    /// Adds entries begin, begin + step ... to `sum`.
    template <class P>
    __device__ __forceinline__ void add(const CsrView<T, P>& a, std::int64_t begin,
                                        std::int64_t end, int step, Held& sum) const {
#pragma unroll 4
        for (std::int64_t k = begin; k < end; k += step) {
            const T value = a.values[k];
            const Held fetched = x.at(std::ptrdiff_t{a.col_idx[k]} * row_step);
#pragma unroll
            for (int v = 0; v < Held::kVectors; ++v) sum.of[v] += value * fetched.of[v];
        }
    }
    __device__ T* place(std::int64_t row) const {
        return y.data + row * y.row_step + vector * y.vector_step;
    }
    __device__ void store(const Held& sum, const Epilogue<T>& out, std::int64_t row) const {
        if (has_any) sum.store(out, place(row), y.vector_step);
    }
    __device__ void add_to(const Held& sum, T alpha, std::int64_t row) const {
        if (!has_any) return;
#pragma unroll
        for (int v = 0; v < Held::kVectors; ++v)
            atomicAdd(place(row) + v * y.vector_step, alpha * sum.of[v]);
    }

  private:
    __device__ Own(const Vectors<const T>& from, const Vectors<T>& to, std::int64_t count,
                   std::int64_t first)
        : vector(first < count ? first : 0),
          has_any(first < count),
          y(to),
          x{from.data + vector * from.vector_step, from.vector_step},
          row_step(from.row_step) {}
};

/// Sum over lanes that are `Apart` from each other, of a group of `Group` lanes.
template <int Apart, int Group, class Held>
__device__ __forceinline__ void sum_over_lanes(Held& sum) {
#pragma unroll
    for (int offset = Group / 2; offset >= Apart; offset /= 2)
#pragma unroll
        for (int v = 0; v < Held::kVectors; ++v)
            sum.of[v] += __shfl_xor_sync(kFullMask, sum.of[v], offset);
}

/// Entries [begin, end) by all of a block: the sum is in its first `Lanes` threads. `part` may be
/// used again.
template <int Lanes, class T, class Held, class P>
__device__ Held sum_by_block(const Own<T, Held, Lanes>& own, const CsrView<T, P>& a,
                             std::int64_t begin, std::int64_t end, Held* part) {
    constexpr int kWarps = kBlock / kWarp;
    const int thread = static_cast<int>(threadIdx.x);
    Held sum{};
    own.add(a, begin + thread / Lanes, end, kBlock / Lanes, sum);
    sum_over_lanes<Lanes, kWarp>(sum);
    if (thread % kWarp < Lanes) part[thread / kWarp * Lanes + thread % kWarp] = sum;
    __syncthreads();
    if (thread < Lanes)
        for (int w = 1; w < kWarps; ++w)
#pragma unroll
            for (int v = 0; v < Held::kVectors; ++v) sum.of[v] += part[w * Lanes + thread].of[v];
    __syncthreads();
    return sum;
}

/// `Group` lanes have a row, `Lanes` of them its next entry. Of long rows, if they are others'
/// work, only βy is left to them.
template <class T, class P, class Held, int Lanes, int Group>
__global__ __launch_bounds__(kBlock) void many_kernel(CsrView<T, P> a, Epilogue<T> out,
                                                      Vectors<const T> x, Vectors<T> y,
                                                      std::int64_t count, std::int64_t long_row,
                                                      bool others_have_long) {
    wait_for_previous();
    constexpr int kRows = kBlock / Group;
    __shared__ Held part[kBlock / kWarp * Lanes];
    const int thread = static_cast<int>(threadIdx.x);
    const Own<T, Held, Lanes> own(x, y, count);
    const std::int64_t first = std::int64_t{blockIdx.x} * kRows, i = first + thread / Group;
    std::int64_t begin = 0, end = 0;
    if (i < a.rows) begin = a.row_ptr[i], end = a.row_ptr[i + 1];
    const bool is_long = end - begin > long_row;
    Held sum{};
    if (!is_long) own.add(a, begin + thread % Group / Lanes, end, Group / Lanes, sum);
    sum_over_lanes<Lanes, Group>(sum);
    if (i < a.rows && (!is_long || others_have_long) && thread % Group < Lanes)
        own.store(sum, out, i);
    if (others_have_long || !__syncthreads_or(is_long)) return;
    for (std::int64_t row = first; row < min(first + kRows, std::int64_t{a.rows}); ++row) {
        begin = a.row_ptr[row], end = a.row_ptr[row + 1];
        if (end - begin <= long_row) continue;
        sum = sum_by_block(own, a, begin, end, part);
        if (thread < Lanes) own.store(sum, out, row);
    }
}

/// A block for each piece of long rows.
template <class T, class P, class Held, int Lanes>
__global__ __launch_bounds__(kBlock) void piece_kernel(CsrView<T, P> a, T alpha, Vectors<const T> x,
                                                       Vectors<T> y, std::int64_t count,
                                                       const RowPiece* pieces) {
    wait_for_previous();
    __shared__ Held part[kBlock / kWarp * Lanes];
    const Own<T, Held, Lanes> own(x, y, count);
    const RowPiece piece = pieces[blockIdx.x];
    const Held sum = sum_by_block(own, a, piece.begin, piece.end, part);
    if (threadIdx.x < Lanes) own.add_to(sum, alpha, piece.row);
}

/// As many vectors as there are, in steps of what the kernels take.
template <class T, class P>
struct Many {
    CsrView<T, P> a;
    Epilogue<T> out;
    Vectors<const T> x;
    Vectors<T> y;
    std::size_t count;
    const RowLengths* lengths;
    cudaStream_t stream;

    template <class Held, int Lanes, int Group>
    void launch() const {
        constexpr std::size_t kMostPasses = 65535, kOfPass = Lanes * Held::kVectors;
        for (std::size_t done = 0; done < count; done += kMostPasses * kOfPass) {
            const std::size_t now = std::min(count - done, kMostPasses * kOfPass);
            const dim3 blocks(blocks_for(a.rows, kBlock / Group),
                              static_cast<unsigned>((now + kOfPass - 1) / kOfPass));
            const Vectors<const T> from = x.from(done);
            const Vectors<T> to = y.from(done);
            const auto vectors = static_cast<std::int64_t>(now);
            launch_early(many_kernel<T, P, Held, Lanes, Group>, blocks, kBlock, stream, a, out,
                         from, to, vectors, lengths ? lengths->long_row : kLongRow,
                         lengths != nullptr);
            if (!lengths || lengths->pieces.empty()) continue;
            const dim3 piece_blocks(static_cast<unsigned>(lengths->pieces.size()), blocks.y);
            launch_early(piece_kernel<T, P, Held, Lanes>, piece_blocks, kBlock, stream, a,
                         out.alpha, from, to, vectors, lengths->pieces.data());
        }
    }
    double mean() const { return static_cast<double>(a.nnz()) / a.rows; }

    /// Lanes have some eight entries each, or four where some rows have many more.
    template <class Held, int Lanes>
    void launch() const {
        const double uneven = lengths && lengths->uneven ? 2 : 1;
        const double wanted = uneven * Lanes * mean() / 8;
        if constexpr (Lanes <= 8)
            if (wanted < 16) return launch<Held, Lanes, 8>();
        if constexpr (Lanes <= 16)
            if (wanted < 32) return launch<Held, Lanes, 16>();
        launch<Held, Lanes, 32>();
    }

    template <int W>
    bool fits() const {
        const auto aligned = [](const void* p) {
            return reinterpret_cast<std::uintptr_t>(p) % (W * sizeof(T)) == 0;
        };
        return count % W == 0 && x.row_step % W == 0 && y.row_step % W == 0 && aligned(x.data) &&
               aligned(y.data);
    }

    template <int W>
    void rows() const {
        if constexpr (W > 1)
            if (!fits<W>()) return rows<W / 2>();
        using Held = SideBySide<T, W>;
        const std::size_t lanes = count / W;
        if (lanes <= 1) return launch<Held, 1>();
        if (lanes <= 2) return launch<Held, 2>();
        if (lanes <= 4) return launch<Held, 4>();
        if (lanes <= 8) return launch<Held, 8>();
        if (lanes <= 16) return launch<Held, 16>();
        launch<Held, 32>();
    }

    /// As many as are a multiple of V together, then fewer and fewer.
    template <int V>
    void anywhere() const {
        Many whole = *this, rest = *this;
        whole.count = count / V * V;
        rest.count = count - whole.count;
        rest.x = x.from(whole.count);
        rest.y = y.from(whole.count);
        if (whole.count > 0) whole.template launch<Apart<T, V>, 1>();
        if constexpr (V > 1)
            if (rest.count > 0) rest.template anywhere<V / 2>();
    }
};

}  // namespace

template <class T, class P>
void multiply_many(CsrView<T, P> a, T alpha, Vectors<const T> x, T beta, Vectors<T> y,
                   std::size_t count, const RowLengths* lengths, void* stream) {
    if (a.rows == 0 || count == 0) return;
    const Many<T, P> many{
        a, {alpha, beta}, x, y, count, lengths, static_cast<cudaStream_t>(stream)};
    constexpr int kWidest = 16 / sizeof(T);
    if (!(x.by_rows() && y.by_rows()))
        many.template anywhere<8>();
    else if (lengths)
        many.template rows<kWidest>();
    else  // the order of sums does not depend on where x and y lie
        many.template rows<1>();
}

#define SPTUNE_INSTANTIATE(P)                                                                     \
    template void multiply_many(CsrView<SPTUNE_VALUE, P>, SPTUNE_VALUE,                           \
                                Vectors<const SPTUNE_VALUE>, SPTUNE_VALUE, Vectors<SPTUNE_VALUE>, \
                                std::size_t, const RowLengths*, void*);
SPTUNE_INSTANTIATE(std::int32_t)
SPTUNE_INSTANTIATE(std::int64_t)

}  // namespace sptune::cuda
