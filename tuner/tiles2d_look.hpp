// Kernels of two-dimensional tiles join in where they are reckoned to be faster.
#pragma once

#include "models/heuristic.hpp"
#include "models/launching.hpp"
#include "models/tiles2d_time.hpp"
#include "tuner/join_best.hpp"
#include "tuner/kernel_index.hpp"

#include <cmath>
#include <utility>
#include <vector>

namespace sptune::tuner {

/// The best two of `tiles`, kernels that no model knows, join the field where they may be the best
/// of all. No look at the matrix: its size and how skewed its rows are tell. Whether any has
/// joined.
template <class T, class P>
bool join_tiles2d(Field<T, P>& field, double calls, const Features& features, CsrView<T, P> a,
                  const KernelIndex<T, P>& kernels,
                  const std::vector<const SpmvKernel<T, P>*>& tiles, const db::Device& device) {
    if (tiles.empty() || device.threads <= 0) return false;
    std::vector<Params> params;
    for (const auto* kernel : tiles) params.push_back(kernel->variant.params);
    const std::vector<LayoutEstimate> told = tiles.front()->estimate(a, features, params);
    Field<T, P> joining;
    for (std::size_t i = 0; i < tiles.size(); ++i) {
        if (!std::isfinite(told[i].bytes)) continue;
        const models::Tiles2dWork work{told[i].bytes,
                                       told[i].gathered,
                                       told[i].sums,
                                       static_cast<double>(a.nnz()),
                                       features.row_gini,
                                       get(params[i], "b"),
                                       static_cast<int>(sizeof(T)),
                                       device.threads,
                                       models::bandwidth_gbs(device, told[i].bytes)};
        Entrant<T, P> e{tiles[i], kernels.id(*tiles[i]),
                        models::expected_us(device, tiles[i]->variant, models::tiles2d_us(work)),
                        models::tiles2d_convert_us(work) + kernels.load_us(*tiles[i])};
        e.looked = true;
        e.seen = told[i].bytes;
        joining.push_back(std::move(e));
    }
    return join_best(field, std::move(joining), calls);
}

}  // namespace sptune::tuner
