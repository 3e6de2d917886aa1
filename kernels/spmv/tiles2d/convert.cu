#include "kernels/cuda/device.cuh"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/primitives.hpp"
#include "kernels/cuda/rows_of_entries.hpp"
#include "kernels/cuda/sort.hpp"
#include "kernels/instantiate.hpp"
#include "kernels/spmv/tiles2d/cuda_format.hpp"
#include "kernels/spmv/tiles2d/shape.hpp"
#include "kernels/spmv/tiles2d/slots.cuh"
#include "matrix/csr_bytes.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

namespace sptune::cuda {
namespace {

struct Grid {
    std::int32_t panel_slots, chunk;
    std::int64_t chunks;
    int warps;
};

template <class P>
__global__ void count_chunks(const index_t* col_idx, std::int64_t nnz, const index_t* row_of,
                             Slots<P> slots, Grid g, std::uint32_t* count) {
    const std::int64_t k = global_thread();
    if (k >= nnz) return;
    const std::int64_t panel = slots.slot(row_of[k], k) / g.panel_slots;
    atomicAdd(count + panel * g.chunks + col_idx[k] / g.chunk, 1u);
}

/// The first run of a tile, and how far it is from one warp's to the next's.
struct TileRuns {
    std::int32_t first, stride;
};
struct Runs {
    const std::int32_t* tile_of_chunk;
    const TileRuns* of_tile;
    const std::int64_t* panel_begin;
};

/// The run of each entry, slot by slot. Warps share a panel's slots so that they have about as many
/// entries.
template <class P>
__global__ void runs_of_entries(const index_t* col_idx, std::int64_t nnz, const index_t* row_of,
                                Slots<P> slots, Grid g, Runs runs, std::uint32_t* run,
                                index_t* entry, std::int32_t* count) {
    const std::int64_t k = global_thread();
    if (k >= nnz) return;
    const index_t row = row_of[k];
    const std::int32_t slot = slots.slot(row, k), panel = slot / g.panel_slots;
    const std::int64_t begin = runs.panel_begin[panel],
                       size = max(runs.panel_begin[panel + 1] - begin, std::int64_t{1});
    const auto warp = static_cast<std::int32_t>(
        min((slots.entries_before(row, slot) - begin) * g.warps / size, std::int64_t{g.warps - 1}));
    const TileRuns tile = runs.of_tile[runs.tile_of_chunk[panel * g.chunks + col_idx[k] / g.chunk]];
    const std::int32_t r = tile.first + warp * tile.stride;
    const std::int64_t at = slots.place(row, k);
    run[at] = static_cast<std::uint32_t>(r);
    entry[at] = static_cast<index_t>(k);
    atomicAdd(count + r, 1);
}

__global__ void steps_of_runs(const std::int32_t* begin, std::int64_t runs, std::int32_t* steps,
                              std::int32_t* count) {
    const std::int64_t r = global_thread();
    if (r < runs) count[r] = steps[r] = (begin[r + 1] - begin[r] + kWarp - 1) / kWarp;
}

/// Where the entries of a run are: what their codes count from, and the spare slot of lane 0.
struct RunPlace {
    std::int32_t slot, column, spare;
};

template <class T, class P>
struct Filled {
    const std::int32_t *begin, *step_ptr;  ///< of the runs; of their entries and steps
    const RunPlace* place;
    const index_t *entry, *row_of;
    Slots<P> slots;
    std::uint32_t* code;
    T* values;
    std::int32_t* steps;
};

/// A block for each run. Lanes have neighbouring entries, so that those of a slot, which lie
/// together, rarely meet in a step.
template <class T, class P>
__global__ void fill_steps(CsrView<T, P> a, Filled<T, P> f) {
    using S = Tiles2dStorage<T>;
    const std::int64_t run = blockIdx.x;
    const std::int64_t begin = f.begin[run], entries = f.begin[run + 1] - begin;
    const std::int64_t first = f.step_ptr[run], steps = f.step_ptr[run + 1] - first;
    const RunPlace place = f.place[run];
    const auto slot_of = [&](std::int64_t i) {
        const index_t k = f.entry[begin + i];
        return f.slots.slot(f.row_of[k], k);
    };
    for (std::int64_t i = threadIdx.x; i < steps * kWarp; i += blockDim.x) {
        const std::int64_t lane = i % kWarp, n = lane * steps + i / kWarp, at = first * kWarp + i;
        if (n >= entries) {
            f.code[at] = static_cast<std::uint32_t>(place.spare + lane) << S::kSlotShift;
            f.values[at] = T{0};
            continue;
        }
        const index_t k = f.entry[begin + n];
        const std::int32_t slot = slot_of(n);
        const bool shares = (n >= steps && slot_of(n - steps) == slot) ||
                            (n + steps < entries && slot_of(n + steps) == slot);
        if (shares) atomicOr(f.steps + run, S::kSomeShare);
        f.code[at] = static_cast<std::uint32_t>(slot - place.slot) << S::kSlotShift |
                     (shares ? S::kShares : 0u) |
                     static_cast<std::uint32_t>(a.col_idx[k] - place.column);
        f.values[at] = a.values[k];
    }
}

/// Numbers the runs share by share.
std::vector<TileRuns> number_runs(Tiles2dShares& shares, int warps) {
    std::vector<TileRuns> of_tile(shares.tile.size());
    std::int32_t run = 0;
    for (PanelShare& s : shares.share) {
        s.run = run;
        for (std::int32_t t = 0; t < s.tiles; ++t)
            of_tile[static_cast<std::size_t>(s.tile + t)] = {run + t, s.tiles};
        run += s.tiles * warps;
    }
    return of_tile;
}

std::vector<RunPlace> places_of_runs(const Tiles2dShares& shares, const Tiles2dShape& shape) {
    std::vector<RunPlace> places;
    places.reserve(shares.tile.size() * static_cast<std::size_t>(shape.warps));
    for (const PanelShare& s : shares.share)
        for (int w = 0; w < shape.warps; ++w)
            for (std::int32_t t = 0; t < s.tiles; ++t)
                places.push_back({s.slot, shares.tile[static_cast<std::size_t>(s.tile + t)].column,
                                  shape.rows_of_panel() + w * kWarp});
    return places;
}

template <class N>
DeviceBuffer<N> to_device(const std::vector<N>& host) {
    return DeviceBuffer<N>(host.data(), host.size());
}

}  // namespace

template <class T, class P>
Footprint Tiles2dFormat::inspect(CsrView<T, P> a, const Features& features, const Params& params) {
    const std::int64_t nnz = a.nnz();
    const Tiles2dShape shape = shape_of<T>(a.rows, a.cols, nnz, features.row_max, params);
    Footprint f;
    f.illegal = why_illegal(nnz, a.cols, shape);
    if (!f.illegal.empty()) return f;
    const auto entries = static_cast<std::uint64_t>(nnz);
    const auto blocks = static_cast<std::uint64_t>(multiprocessors());
    const auto tiles = static_cast<std::uint64_t>(shape.tiles()) + blocks;
    const std::uint64_t runs = tiles * static_cast<std::uint64_t>(shape.warps);
    f.moved_bytes = entries * (sizeof(T) + sizeof(std::uint32_t));
    f.storage_bytes =
        (entries + (kWarp - 1) * std::min(runs, entries)) * (sizeof(T) + sizeof(std::uint32_t)) +
        (2 * runs + 1) * sizeof(std::int32_t) + tiles * sizeof(Band) +
        (static_cast<std::uint64_t>(shape.panels) + blocks) * sizeof(PanelShare) +
        (blocks + 1) * sizeof(std::int32_t) +
        static_cast<std::uint64_t>(shape.slots) * sizeof(index_t);
    return f;
}

template <class T, class P>
std::vector<LayoutEstimate> Tiles2dFormat::estimate(CsrView<T, P> a, const Features& features,
                                                    std::span<const Params> params) {
    std::vector<LayoutEstimate> told;
    const double most = Limits{}.storage_factor * static_cast<double>(csr_bytes(a));
    for (const Params& one : params) {
        const Footprint f = inspect(a, features, one);
        // Without bulk copies one warp fetches a whole band: nobody has measured how long.
        if (!f.illegal.empty() || static_cast<double>(f.storage_bytes) > most ||
            !has_code_for_90()) {
            told.push_back({std::numeric_limits<double>::infinity()});
            continue;
        }
        const Tiles2dShape s = shape_of<T>(a.rows, a.cols, a.nnz(), features.row_max, one);
        // A run's last step is half full.
        const auto stored = static_cast<double>(a.nnz() + s.tiles() * s.warps * kWarp / 2);
        const auto panels = static_cast<double>(s.panels);
        told.push_back({stored * (sizeof(T) + sizeof(std::uint32_t)),
                        panels * static_cast<double>(a.cols),
                        static_cast<double>(s.slots) * (1 + multiprocessors() / panels)});
    }
    return told;
}

template <class T, class P>
std::unique_ptr<Storage> Tiles2dFormat::convert(CsrView<T, P> a, const Params& params, int) {
    const std::int64_t nnz = a.nnz();
    const Tiles2dShape shape = shape_of<T>(a.rows, a.cols, nnz, nnz, params);
    const auto entries = static_cast<std::size_t>(nnz);
    auto s = std::make_unique<Tiles2dStorage<T>>();
    s->rows = a.rows;
    s->cols = a.cols;
    s->blocks = multiprocessors();
    s->panel = shape.panel;
    s->band = shape.band;

    const DeviceBuffer<std::int32_t> slot_ptr = count_slots_of(a, shape.share);
    const Slots<P> slots{a.row_ptr, slot_ptr.empty() ? nullptr : slot_ptr.data()};
    std::int64_t all_slots = a.rows;
    if (!slot_ptr.empty()) {
        all_slots = slot_ptr.at(static_cast<std::size_t>(a.rows));
        s->slot_row = DeviceBuffer<index_t>(static_cast<std::size_t>(all_slots));
        name_slots<<<blocks_for(a.rows, kThreads), kThreads>>>(slot_ptr.data(), a.rows,
                                                               s->slot_row.data());
        SPTUNE_CUDA_LAUNCHED("name_slots");
    }
    const auto [panel_slots, panels] = shape.cut(all_slots);
    const Grid grid{static_cast<std::int32_t>(panel_slots), shape.chunk(), shape.chunks,
                    shape.warps};
    DeviceBuffer<index_t> row_of(entries);
    rows_of_entries(a.row_ptr, a.rows, nnz, row_of.data());

    DeviceBuffer<std::uint32_t> of_chunks(static_cast<std::size_t>(panels * shape.chunks));
    of_chunks.fill_bytes(0);
    count_chunks<<<blocks_for(nnz, kThreads), kThreads>>>(a.col_idx, nnz, row_of.data(), slots,
                                                          grid, of_chunks.data());
    SPTUNE_CUDA_LAUNCHED("count_chunks");
    const Buffer<std::uint32_t> chunks = of_chunks.to_host();
    Tiles2dShares shares = share_tiles2d({{chunks.data(), chunks.size()},
                                          shape.chunks,
                                          shape.chunk(),
                                          a.cols,
                                          all_slots,
                                          panel_slots},
                                         kChunks, s->blocks);
    const DeviceBuffer<TileRuns> of_tile = to_device(number_runs(shares, shape.warps));
    const DeviceBuffer<std::int32_t> tile_of_chunk = to_device(shares.tile_of_chunk);
    const std::vector<RunPlace> places = places_of_runs(shares, shape);
    s->share = to_device(shares.share);
    s->share_ptr = to_device(shares.share_ptr);
    s->tile = to_device(shares.tile);

    DeviceBuffer<std::int64_t> panel_begin(static_cast<std::size_t>(panels) + 1);
    begin_panels<<<blocks_for(panels + 1, kThreads), kThreads>>>(
        slots, a.rows, panels, grid.panel_slots, panel_begin.data());
    SPTUNE_CUDA_LAUNCHED("begin_panels");
    const std::size_t runs = places.size();
    const auto run_count = static_cast<std::int64_t>(runs);
    DeviceBuffer<index_t> entry(entries);
    DeviceBuffer<std::int32_t> begin(runs + 1);
    begin.fill_bytes(0);
    {
        DeviceBuffer<std::uint32_t> run(entries);
        runs_of_entries<<<blocks_for(nnz, kThreads), kThreads>>>(
            a.col_idx, nnz, row_of.data(), slots, grid,
            Runs{tile_of_chunk.data(), of_tile.data(), panel_begin.data()}, run.data(),
            entry.data(), begin.data());
        SPTUNE_CUDA_LAUNCHED("runs_of_entries");
        sort_by_key(run, entry, bits_for(runs));
    }
    counts_to_pointers(begin);
    s->steps = DeviceBuffer<std::int32_t>(runs);
    s->step_ptr = DeviceBuffer<std::int32_t>(runs + 1);
    steps_of_runs<<<blocks_for(run_count, kThreads), kThreads>>>(
        begin.data(), run_count, s->steps.data(), s->step_ptr.data());
    SPTUNE_CUDA_LAUNCHED("steps_of_runs");
    const auto stored = static_cast<std::size_t>(counts_to_pointers(s->step_ptr)) * kWarp;
    s->code = DeviceBuffer<std::uint32_t>(stored);
    s->values = DeviceBuffer<T>(stored);
    const DeviceBuffer<RunPlace> place = to_device(places);
    if (runs > 0) {
        fill_steps<<<static_cast<unsigned>(runs), kThreads>>>(
            a,
            Filled<T, P>{begin.data(), s->step_ptr.data(), place.data(), entry.data(),
                         row_of.data(), slots, s->code.data(), s->values.data(), s->steps.data()});
        SPTUNE_CUDA_LAUNCHED("fill_steps");
    }
    SPTUNE_CUDA(cudaStreamSynchronize(nullptr));
    return s;
}

SPTUNE_INSTANTIATE_FORMAT(Tiles2dFormat)
#define SPTUNE_INSTANTIATE(T, P)                                                                 \
    template std::vector<LayoutEstimate> Tiles2dFormat::estimate(CsrView<T, P>, const Features&, \
                                                                 std::span<const Params>);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune::cuda
