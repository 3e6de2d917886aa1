// Block sparse × block sparse: A and B are cut into m × m blocks on a fixed grid, whose products
// are small dense ones.
#include "kernels/spgemm/cpu/block_rows.hpp"
#include "kernels/spgemm/cpu/rows.hpp"

#include <bit>
#include <string>

namespace sptune {
namespace {

template <class T>
class BlockOperands final : public SpgemmOperands {
  public:
    BlockCsr<T> a, b;
    BlockColumns columns;  ///< of b, where the search needs them
    std::uint64_t bytes() const override {
        return a.bytes() + b.bytes() + columns.ptr.bytes() + columns.row.bytes() +
               columns.block.bytes();
    }
};

BlockSearch search_of(const Params& params) {
    return static_cast<BlockSearch>(get(params, "s"));
}

/// Rows of C out of block rows, which are computed when their first row is asked for.
template <int M>
struct Blocks {
    template <class T, class P>
    class Rows {
      public:
        struct Shared {
            explicit Shared(const spgemm_cpu::Inputs<T, P>& in)
                : o(static_cast<const BlockOperands<T>&>(*in.operands)),
                  search(search_of(in.params)),
                  dense(get(in.params, "o") == 2) {}
            const BlockOperands<T>& o;
            BlockSearch search;
            bool dense;
        };
        static std::uint64_t shared_bytes(const SpgemmProblem<T, P>&) { return 0; }
        /// Twice: arrays that grow are copied.
        static std::uint64_t bytes(const SpgemmProblem<T, P>& p) {
            return 2 * (static_cast<std::uint64_t>(p.b.cols) / M + 1) *
                   (M * M * sizeof(T) + (M + 2) * sizeof(index_t));
        }
        explicit Rows(const Shared& s) : product_(s.o.a, s.o.b, &s.o.columns, s.search, s.dense) {}

        index_t count(index_t i) {
            at(i, false);
            int entries = 0;
            for (const index_t j : product_.found())
                entries += std::popcount(product_.pattern(j)[i % M]);
            return entries;
        }

        /// Always sorted.
        index_t compute(index_t i, bool, index_t* cols, T* values) {
            at(i, true);
            index_t* out = cols;
            for (const index_t j : product_.found()) {
                const T* sums = product_.sums(j) + i % M * M;
                for (std::uint32_t m = product_.pattern(j)[i % M]; m; m &= m - 1) {
                    const int c = std::countr_zero(m);
                    *out++ = j * M + c;
                    *values++ = sums[c];
                }
            }
            return static_cast<index_t>(out - cols);
        }

      private:
        void at(index_t i, bool values) {
            if (i / M == block_row_ && (values_ || !values)) return;
            block_row_ = i / M;
            values_ = values;
            product_.run(block_row_, values);
        }

        spgemm_cpu::BlockRowProduct<M, PlainMath<T>> product_;
        index_t block_row_ = -1;
        bool values_ = false;
    };
};

std::uint64_t block_bytes(std::int64_t blocks, int m, std::size_t value) {
    const auto size = static_cast<std::uint64_t>(m);
    return static_cast<std::uint64_t>(blocks) *
           (size * size * value + size * sizeof(std::uint32_t) + sizeof(index_t));
}

template <class T, class P>
SpgemmFootprint inspect(const SpgemmProblem<T, P>& p, const Params& params) {
    constexpr double kEmptiest = 1.0 / 12;  // share of a block that is filled
    constexpr double kMostPairs = 3e8;      // of block rows and block columns to be intersected
    const int m = get(params, "m");
    SpgemmFootprint f;
    const Buffer<std::int64_t> a = count_grid_blocks(p.a, m, resolve_threads(0)),
                               b = count_grid_blocks(p.b, m, resolve_threads(0));
    const std::int64_t blocks_a = a[a.size() - 1], blocks_b = b[b.size() - 1];
    f.operand_bytes = block_bytes(blocks_a, m, sizeof(T)) + block_bytes(blocks_b, m, sizeof(T)) +
                      a.bytes() + b.bytes();
    const auto block_cols = static_cast<double>(p.b.cols / m + 1);
    f.temporary_bytes = static_cast<std::uint64_t>(
        block_cols * (m * m * static_cast<double>(sizeof(T)) + 4 * m + 8) * resolve_threads(0));
    const double stored = static_cast<double>(blocks_a + blocks_b) * m * m;
    const double nnz = static_cast<double>(p.a.nnz()) + static_cast<double>(p.b.nnz());
    if (nnz < kEmptiest * stored)
        f.wasteful = "blocks of " + std::to_string(m) + " × " + std::to_string(m) + " would be " +
                     std::to_string(static_cast<int>(100 * nnz / stored)) + " % full";
    else if (search_of(params) != BlockSearch::rowwise &&
             static_cast<double>(a.size() - 1) * block_cols > kMostPairs)
        f.wasteful = "too many pairs of a block row and a block column to be intersected";
    return f;
}

template <class T, class P>
std::unique_ptr<SpgemmOperands> prepare(const SpgemmProblem<T, P>& p, const Params& params,
                                        int threads) {
    auto o = std::make_unique<BlockOperands<T>>();
    const int m = get(params, "m"), workers = resolve_threads(threads);
    o->a = to_blocks(p.a, m, workers);
    o->b = to_blocks(p.b, m, workers);
    if (search_of(params) != BlockSearch::rowwise) o->columns = columns_of(o->b);
    return o;
}

template <class T, class P, int M>
void add_block_size(SpgemmKernelList<T>& list) {
    for (const auto& [name, search] : {std::pair{"rowwise", BlockSearch::rowwise},
                                       std::pair{"two-pointers", BlockSearch::two_pointers},
                                       std::pair{"binary", BlockSearch::binary}})
        for (const int output : {1, 2}) {
            auto& kernel = add_spgemm_kernel<P>(
                list, Backend::cpu, "bsr", name,
                {{"m", M}, {"s", static_cast<int>(search)}, {"o", output}, {"p", 1}, {"d", 16}},
                &inspect<T, P>, &spgemm_cpu::multiply<Blocks<M>::template Rows, T, P>);
            kernel.prepare = &prepare<T, P>;
            kernel.variant.layout =
                "bsr.m" + std::to_string(M) + (search == BlockSearch::rowwise ? "" : ".columns");
        }
}

template <class T, class P>
void add(SpgemmKernelList<T>& list) {
    add_block_size<T, P, 2>(list);
    add_block_size<T, P, 4>(list);
    add_block_size<T, P, 8>(list);
    add_block_size<T, P, 16>(list);
    add_block_size<T, P, 32>(list);
}

}  // namespace

/// Parameters m: block size, s: search (BlockSearch), o: sums of 1 the blocks that occur, 2 a whole
/// block row; p and d as in add_rows().
template <class T>
void add_cpu_bsr_kernels(SpgemmKernelList<T>& list) {
    add<T, std::int32_t>(list);
    add<T, std::int64_t>(list);
}
template void add_cpu_bsr_kernels(SpgemmKernelList<SPTUNE_VALUE>&);

}  // namespace sptune
