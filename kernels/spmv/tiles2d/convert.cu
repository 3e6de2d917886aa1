#include "kernels/cuda/device.cuh"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/primitives.hpp"
#include "kernels/cuda/rows_of_entries.hpp"
#include "kernels/cuda/sort.hpp"
#include "kernels/instantiate.hpp"
#include "kernels/spmv/hub/cuda_format.hpp"
#include "kernels/spmv/tiles2d/cuda_format.hpp"
#include "matrix/csr_bytes.hpp"
#include "matrix/partition_point.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace sptune::cuda {
namespace {

constexpr int kThreads = 256;
/// Of a band.
constexpr int kChunks = 16;
/// Entries, and what fills up their steps, are numbered by 32 bits.
constexpr std::int64_t kMostEntries = std::int64_t{1} << 30;
/// Columns that are fetched for all panels together, for each entry.
constexpr std::int64_t kMostFetched = 8;
constexpr int kLeastBand = 2048;

/// What follows of the numbers alone.
struct Shape {
    int warps, panel, band;  ///< of a block; room for slots; room for columns
    std::int64_t share;      ///< entries of a slot, at most
    std::int64_t slots;      ///< of all rows, at most
    std::int64_t panels, chunks;

    int chunk() const { return band / kChunks; }
    int rows_of_panel() const { return panel - warps * kWarp; }
    struct Cut {
        std::int64_t panel_slots, panels;
    };
    /// Into as few panels as can be, of about the same size, which begin at aligned rows of y.
    Cut cut(std::int64_t all) const {
        constexpr std::int64_t kAligned = 32;
        const std::int64_t least = (all + rows_of_panel() - 1) / rows_of_panel();
        const std::int64_t each = (all + least - 1) / std::max<std::int64_t>(least, 1);
        const std::int64_t slots = (each + kAligned - 1) / kAligned * kAligned;
        return {slots, slots ? (all + slots - 1) / slots : 0};
    }
    /// If all are needed; where blocks share a panel, others begin.
    std::int64_t tiles() const { return panels * ((chunks + kChunks - 1) / kChunks); }
};

template <class T>
Shape shape_of(std::int64_t rows, std::int64_t cols, std::int64_t nnz, const Params& params) {
    constexpr int kAlignedChunk = 64;
    Shape s;
    s.warps = get(params, "b") / kWarp;
    s.panel = std::min(get(params, "y") * 1024 / static_cast<int>(sizeof(T)), kMostPanelSlots);
    const auto left = static_cast<std::int64_t>(most_shared_bytes()) - kOwnSharedBytes -
                      s.panel * static_cast<std::int64_t>(sizeof(T));
    const std::int64_t columns = left / kBandsAtOnce / static_cast<std::int64_t>(sizeof(T)) - 8;
    constexpr std::int64_t kUnit = kChunks * kAlignedChunk;
    s.band =
        static_cast<int>(std::clamp<std::int64_t>(columns / kUnit * kUnit, 0, kMostBandColumns));
    // Of rows with more entries in a tile than a run has steps, several lanes would have an entry
    // in the same step.
    const std::int64_t places = s.rows_of_panel();
    const std::int64_t least_panels = (rows + places - 1) / places;
    constexpr std::int64_t kSpread = 2;  // not all tiles hold as many
    s.share = 1 + nnz / (std::max<std::int64_t>(least_panels, 1) * s.warps * kWarp * kSpread);
    s.slots = rows + nnz / s.share;
    s.panels = s.cut(s.slots).panels;
    s.chunks = s.band ? (cols + s.chunk() - 1) / s.chunk() : 0;
    return s;
}

std::string illegal(std::int64_t nnz, std::int64_t cols, const Shape& s) {
    if (nnz > kMostEntries) return "more than 2^30 entries";
    if (s.slots > std::numeric_limits<std::int32_t>::max() - kWarp) return "2^31 rows or nearly so";
    if (s.band < kLeastBand)
        return "a block may have " + std::to_string(most_shared_bytes() >> 10) +
               " KiB of shared memory here, too little for x beside the panel";
    if (s.panels * cols > kMostFetched * nnz)
        return "x would be fetched " + std::to_string(s.panels) + " times for " +
               std::to_string(nnz / std::max<std::int64_t>(cols, 1)) + " entries a column";
    if (nnz < std::int64_t{multiprocessors()} * s.band)
        return "each multiprocessor would fetch " + std::to_string(s.band) + " numbers of x for " +
               std::to_string(nnz / multiprocessors()) + " entries";
    return {};
}

/// Which slots the rows have.
template <class P>
struct Slots {
    const P* row_ptr;
    const std::int32_t* slot_ptr;  ///< nullptr: one each

    struct OfRow {
        std::int32_t first, count;
    };
    __device__ OfRow of(std::int64_t row) const {
        if (!slot_ptr) return {static_cast<std::int32_t>(row), 1};
        return {slot_ptr[row], slot_ptr[row + 1] - slot_ptr[row]};
    }
    /// Neighbouring entries of a row go to different slots, so that each slot has a part of every
    /// tile.
    __device__ std::int32_t slot(std::int64_t row, std::int64_t entry) const {
        const OfRow r = of(row);
        return r.first + static_cast<std::int32_t>((entry - row_ptr[row]) % r.count);
    }
    /// Where the entry goes where those of a slot lie together.
    __device__ std::int64_t place(std::int64_t row, std::int64_t entry) const {
        const OfRow r = of(row);
        const std::int64_t begin = row_ptr[row], i = entry - begin, size = row_ptr[row + 1] - begin,
                           part = i % r.count;
        return begin + part * (size / r.count) + min(part, size % r.count) + i / r.count;
    }
    /// Entries before those of this slot, as if all slots of its row had as many.
    __device__ std::int64_t entries_before(std::int64_t row, std::int32_t slot) const {
        const OfRow r = of(row);
        const std::int64_t begin = row_ptr[row];
        return begin + (row_ptr[row + 1] - begin) * std::int64_t{slot - r.first} / r.count;
    }
    __device__ std::int64_t row_of(std::int32_t slot, index_t rows) const {
        if (!slot_ptr) return slot;
        return partition_point(std::int64_t{0}, std::int64_t{rows},
                               [&](std::int64_t r) { return slot_ptr[r + 1] <= slot; });
    }
};

template <class P>
__global__ void count_slots(const P* row_ptr, index_t rows, std::int64_t share,
                            std::int32_t* count) {
    const std::int64_t r = global_thread();
    if (r >= rows) return;
    const std::int64_t entries = row_ptr[r + 1] - row_ptr[r];
    count[r] = static_cast<std::int32_t>(max((entries + share - 1) / share, std::int64_t{1}));
}

__global__ void name_slots(const std::int32_t* slot_ptr, index_t rows, index_t* slot_row) {
    const std::int64_t r = global_thread();
    if (r >= rows) return;
    for (std::int32_t s = slot_ptr[r]; s < slot_ptr[r + 1]; ++s)
        slot_row[s] = static_cast<index_t>(r);
}

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

/// Entries before each panel, and in all.
template <class P>
__global__ void begin_panels(Slots<P> slots, index_t rows, std::int64_t panels,
                             std::int32_t panel_slots, std::int64_t* begin) {
    const std::int64_t p = global_thread();
    if (p > panels) return;
    const auto slot = static_cast<std::int32_t>(p * panel_slots);
    begin[p] = p == panels ? std::int64_t{slots.row_ptr[rows]}
                           : slots.entries_before(slots.row_of(slot, rows), slot);
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

std::vector<RunPlace> places_of_runs(const Tiles2dShares& shares, const Shape& shape) {
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

/// slot_ptr: rows + 1; empty where no row has more than one.
template <class T, class P>
DeviceBuffer<std::int32_t> count_slots_of(CsrView<T, P> a, std::int64_t share) {
    DeviceBuffer<std::int32_t> slot_ptr(static_cast<std::size_t>(a.rows) + 1);
    count_slots<<<blocks_for(a.rows, kThreads), kThreads>>>(a.row_ptr, a.rows, share,
                                                            slot_ptr.data());
    SPTUNE_CUDA_LAUNCHED("count_slots");
    return counts_to_pointers(slot_ptr) == a.rows ? DeviceBuffer<std::int32_t>()
                                                  : std::move(slot_ptr);
}

}  // namespace

template <class T, class P>
Footprint Tiles2dFormat::inspect(CsrView<T, P> a, const Features&, const Params& params) {
    const std::int64_t nnz = a.nnz();
    const Shape shape = shape_of<T>(a.rows, a.cols, nnz, params);
    Footprint f;
    f.illegal = illegal(nnz, a.cols, shape);
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
            !early_launch_works()) {
            told.push_back({std::numeric_limits<double>::infinity()});
            continue;
        }
        const Shape s = shape_of<T>(a.rows, a.cols, a.nnz(), one);
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
    const Shape shape = shape_of<T>(a.rows, a.cols, nnz, params);
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
