#include "kernels/cuda/columns_sorted.cuh"
#include "kernels/cuda/primitives.hpp"
#include "kernels/spgemm/finish.hpp"
#include "kernels/spgemm/threepass/passes.hpp"
#include "matrix/cuda/grid.hpp"

#include <algorithm>

namespace sptune::cuda {
namespace {

/// Blocks whose tables fit the memory: no more than can run at once or have a row to work on.
template <class T, class P>
unsigned blocks_of(const SpgemmProblem<T, P>& problem, const Passes<T, P>& passes,
                   std::uint64_t memory) {
    const std::uint64_t table = static_cast<std::uint64_t>(problem.b.cols) * sizeof(P) *
                                static_cast<std::uint64_t>(passes.teams_per_block);
    if (table > memory) throw OutOfMemory("the marker tables of one thread block", table);
    const std::uint64_t fit = std::max<std::uint64_t>(
        1, std::min(memory / kTableShare, kTableBytes) / std::max<std::uint64_t>(table, 1));
    const auto resident = static_cast<std::uint64_t>(multiprocessors()) *
                          static_cast<std::uint64_t>(std::max(passes.resident_blocks(), 1));
    const std::uint64_t useful = blocks_for(problem.a.rows, passes.teams_per_block);
    return static_cast<unsigned>(std::min({fit, resident, useful}));
}

}  // namespace

template <class T, class P>
std::unique_ptr<Product<T, P>> multiply_threepass(const SpgemmProblem<T, P>& problem,
                                                  const Params& params,
                                                  const SpgemmOptions& options,
                                                  const Passes<T, P>& passes) {
    DeviceCsr<T, P> c = empty_csr<T, P>(problem.a.rows, problem.b.cols);
    if (problem.products == 0) return finish(std::move(c), true, options);
    const std::uint64_t memory = memory_for(options);
    index_t longest = 0;
    {
        const unsigned blocks = blocks_of(problem, passes, memory);
        DeviceBuffer<P> table(static_cast<std::size_t>(blocks) *
                              static_cast<std::size_t>(passes.teams_per_block) *
                              static_cast<std::size_t>(problem.b.cols));
        DeviceBuffer<int> next(get(params, claim_rows::name) == static_cast<int>(Claim::taken) ? 1
                                                                                               : 0);
        const auto make_ready = [&] {
            table.fill_bytes(0xff);
            next.fill_bytes(0);
        };
        PassArguments<T, P> arguments{problem.a,
                                      problem.b,
                                      c.row_ptr.data(),
                                      nullptr,
                                      nullptr,
                                      table.data(),
                                      next.data(),
                                      static_cast<Reset>(get(params, table_reset::name)),
                                      columns_sorted<Repeats::forbidden>(problem.b)};
        make_ready();
        passes.count(arguments, blocks);
        longest = static_cast<index_t>(max_of(c.row_ptr.data(), c.rows));
        allocate_rows(c, memory - std::min(memory, table.bytes()));
        arguments.col = c.col_idx.data();
        arguments.value = c.values.data();
        make_ready();
        passes.fill(arguments, blocks);
    }
    return finish(std::move(c), longest <= 1, options);
}

#define SPTUNE_INSTANTIATE(T, P)                                \
    template std::unique_ptr<Product<T, P>> multiply_threepass( \
        const SpgemmProblem<T, P>&, const Params&, const SpgemmOptions&, const Passes<T, P>&);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune::cuda
