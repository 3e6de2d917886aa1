// Few rows of C with very many products leave most of the GPU idle, as a row is the work of one
// block. So the rows of A are cut into pieces: the pieces times B, then a matrix of ones that adds
// up the pieces of each row times that.
#include "kernels/spgemm/hash/split.hpp"

#include "kernels/cuda/axes.hpp"
#include "kernels/spgemm/device_spgemm.hpp"
#include "kernels/spgemm/hash/multiply.hpp"
#include "kernels/spgemm/hash/plan.hpp"

#include <algorithm>
#include <limits>

namespace sptune::cuda::hash {
namespace {

/// most entries of a piece
struct piece {
    static constexpr const char* name = "k";
};
using Grid = grid<axis<piece, 256, 2048>>;

/// Products of a row that are worth being divided.
constexpr std::uint64_t kLongRow = 8192;

/// The pieces of A times B.
template <class T, class P>
SpgemmProblem<T, P> parts_of(const SpgemmProblem<T, P>& whole, int length) {
    SpgemmProblem<T, P> parts = whole;
    const std::int64_t pieces =
        most_pieces(whole.a.rows, static_cast<std::int64_t>(whole.a.nnz()), length);
    parts.a.rows = static_cast<index_t>(pieces);
    parts.upper_entries = std::min(whole.products, static_cast<std::uint64_t>(pieces) *
                                                       static_cast<std::uint64_t>(whole.b.cols));
    return parts;
}

template <class T, class P>
std::uint64_t own_bytes(index_t rows, index_t pieces) {
    return static_cast<std::uint64_t>(pieces) * (sizeof(P) + sizeof(index_t) + sizeof(T)) +
           static_cast<std::uint64_t>(rows) * sizeof(P) + scan_bytes<P>(rows) + 4096;
}

template <class T, class P>
SpgemmFootprint inspect(const SpgemmProblem<T, P>& problem, const Params& params) {
    SpgemmFootprint f;
    const int length = get(params, piece::name);
    if (problem.longest_row < kLongRow)
        f.illegal = "no row of C has " + std::to_string(kLongRow) + " products";
    else if (most_pieces(problem.a.rows, static_cast<std::int64_t>(problem.a.nnz()), length) >
             std::numeric_limits<index_t>::max() - 1)
        f.illegal = "A has too many rows and entries";
    if (!f.illegal.empty()) return f;
    const SpgemmProblem<T, P> parts = parts_of(problem, length);
    f.temporary_bytes = own_bytes<T, P>(problem.a.rows, parts.a.rows) +
                        temporary_bytes(parts, Tuning{}) + temporary_bytes(problem, Tuning{}) +
                        parts.upper_entries * (sizeof(T) + sizeof(index_t));
    return f;
}

template <class T, class P>
std::unique_ptr<Product<T, P>> multiply_pieces(const SpgemmProblem<T, P>& problem,
                                               const SpgemmOperands*, const Params& params,
                                               const SpgemmOptions& options, SpgemmLaunch launch) {
    const cudaStream_t stream = stream_of(launch);
    const int length = get(params, piece::name);
    const CsrView<T, P> a = problem.a;
    SpgemmProblem<T, P> parts = parts_of(problem, length);
    const index_t pieces = parts.a.rows;
    std::uint64_t taken = own_bytes<T, P>(a.rows, pieces);
    const auto left = [&] {
        if (taken > options.memory_bytes) throw OutOfMemory("the pieces of rows of A", taken);
        return options.memory_bytes - taken;
    };
    left();

    const auto places = static_cast<std::size_t>(pieces);
    DeviceBuffer<P> first(static_cast<std::size_t>(a.rows) + 1), begin(places + 1);
    DeviceBuffer<index_t> part(places);
    DeviceBuffer<T> one(places);
    DeviceBuffer<char> scratch(scan_bytes<P>(a.rows));
    allow_allocations(stream);
    cut_rows(a.rows, a.row_ptr, static_cast<std::int64_t>(a.nnz()), length, pieces, first.data(),
             begin.data(), part.data(), one.data(), scratch.data(), scratch.size(), stream);

    parts.a.row_ptr = begin.data();
    SpgemmOptions plain;
    plain.sorted = false;
    plain.memory_bytes = left();
    const DeviceCsr<T, P> of_pieces = multiply(parts, Tuning{}, plain, stream);

    SpgemmProblem<T, P> sum;
    sum.a = {a.rows, pieces, first.data(), part.data(), one.data(), static_cast<P>(pieces)};
    sum.b = of_pieces.view();
    sum.products = static_cast<std::uint64_t>(of_pieces.entries);
    sum.longest_row = problem.longest_row;
    sum.upper_entries = std::min(sum.products, problem.upper_entries);
    taken += of_pieces.row_ptr.bytes() + of_pieces.col_idx.bytes() + of_pieces.values.bytes();
    SpgemmOptions rest = options;
    rest.memory_bytes = left();
    return std::make_unique<DeviceProduct<T, P>>(multiply(sum, Tuning{}, rest, stream));
}

}  // namespace

template <class T, class P>
void add_split_kernels(SpgemmKernelList<T>& list) {
    for_each_point(Grid{}, [&](auto point) {
        add_spgemm_kernel<P>(list, Backend::cuda, "csr", "hash_split", point.params(),
                             &inspect<T, P>, &multiply_pieces<T, P>)
            .variant.deterministic = false;
    });
}

#define SPTUNE_INSTANTIATE(T, P) template void add_split_kernels<T, P>(SpgemmKernelList<T>&);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune::cuda::hash
