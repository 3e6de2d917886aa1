#include "kernels/cuda/device.cuh"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/primitives.hpp"
#include "kernels/cuda/rows_of_entries.hpp"
#include "kernels/cuda/sort.hpp"
#include "kernels/instantiate.hpp"
#include "kernels/spmv/hub/cuda_format.hpp"
#include "kernels/spmv/hub/fill_entry_tiles.cuh"
#include "kernels/spmv/hub/popularity.hpp"
#include "kernels/spmv/hub/shares.hpp"
#include "matrix/cuda/per_device.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

namespace sptune::cuda {
namespace {

/// Of all entries, in hub columns at least.
constexpr double kLeastHot = 0.25;
/// For each entry; all columns are counted and sorted.
constexpr std::int64_t kMostColumns = 4;

/// So that rising keys are falling counts.
constexpr std::uint32_t kMostCount = std::numeric_limits<std::int32_t>::max();

__global__ void keys_of_counts(std::uint32_t* count, index_t* column, index_t cols) {
    const std::int64_t c = global_thread();
    if (c >= cols) return;
    count[c] = kMostCount - count[c];
    column[c] = static_cast<index_t>(c);
}

/// By falling number of entries.
template <class T, class P>
DeviceBuffer<index_t> popular_columns(CsrView<T, P> a) {
    DeviceBuffer<std::uint32_t> count = count_columns(a.col_idx, a.nnz(), a.cols);
    DeviceBuffer<index_t> column(count.size());
    keys_of_counts<<<blocks_for(a.cols, kThreads), kThreads>>>(count.data(), column.data(), a.cols);
    SPTUNE_CUDA_LAUNCHED("keys_of_counts");
    sort_by_key(count, column, 31);
    return column;
}

__global__ void name_bands(const index_t* popular, std::int64_t taken, int columns, index_t cols,
                           int bands, std::uint32_t* band, index_t* column) {
    const std::int64_t i = global_thread();
    if (i >= cols) return;
    band[popular[i]] = static_cast<std::uint32_t>(i < taken ? i / columns : bands);
    column[i] = static_cast<index_t>(i);
}

__global__ void name_places(const index_t* hub, std::int64_t taken, index_t* place) {
    const std::int64_t i = global_thread();
    if (i < taken) place[hub[i]] = static_cast<index_t>(i);
}

__global__ void bands_of_entries(const index_t* col_idx, std::int64_t nnz, const index_t* place,
                                 int columns, int bands, std::uint32_t* band, index_t* entry) {
    const std::int64_t k = global_thread();
    if (k >= nnz) return;
    const index_t at = place[col_idx[k]];
    band[k] = static_cast<std::uint32_t>(at < 0 ? bands : at / columns);
    entry[k] = static_cast<index_t>(k);
}

/// begin[b] = the first of the sorted bands that is b or above, for all b up to `last`.
__global__ void find_begins(const std::uint32_t* band, std::int64_t nnz, int last,
                            std::int64_t* begin) {
    const std::int64_t k = global_thread();
    if (k > nnz) return;
    const int here = k < nnz ? static_cast<int>(band[k]) : last;
    for (int b = k > 0 ? static_cast<int>(band[k - 1]) + 1 : 0; b <= here; ++b) begin[b] = k;
}

std::string illegal(std::int64_t nnz, std::int64_t cols, std::uint64_t value_bytes, int bands,
                    int columns) {
    const std::uint64_t bytes = static_cast<std::uint64_t>(columns) * value_bytes;
    if (nnz > kMostEntries) return "2^31 entries or more";
    if (cols > kMostColumns * nnz) return "most columns are empty";
    if (bytes > most_shared_bytes())
        return "a block may have " + std::to_string(most_shared_bytes() >> 10) +
               " KiB of shared memory here, not " + std::to_string(bytes >> 10);
    if (nnz < std::int64_t{multiprocessors()} * columns)
        return "each multiprocessor would fetch " + std::to_string(columns) + " numbers of x for " +
               std::to_string(nnz / multiprocessors()) + " entries";
    if (std::int64_t{bands - 1} * columns >= cols) return "fewer bands hold all columns";
    return {};
}

std::int64_t hub_columns(int bands, int columns, std::int64_t cols) {
    return std::min<std::int64_t>(std::int64_t{bands} * columns, cols);
}

/// At the least: each row counts as nothing.
template <class T>
std::uint64_t moved_bytes(std::uint64_t hot, std::uint64_t cold, std::int64_t taken) {
    return hot * (sizeof(T) + sizeof(std::uint16_t)) + cold * (sizeof(T) + sizeof(std::uint32_t)) +
           static_cast<std::uint64_t>(taken) * sizeof(index_t);
}

}  // namespace

std::uint64_t most_shared_bytes() {
    static PerDevice<std::uint64_t> known;
    return known.get([] {
        int bytes = 0;
        SPTUNE_CUDA(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                           current_device()));
        return static_cast<std::uint64_t>(bytes);
    });
}

template <class T, class P>
Footprint HubFormat::inspect(CsrView<T, P> a, const Features&, const Params& params) {
    const int bands = get(params, "n"), columns = get(params, "k");
    const std::int64_t nnz = a.nnz();
    Footprint f;
    f.illegal = illegal(nnz, a.cols, sizeof(T), bands, columns);
    if (!f.illegal.empty()) return f;
    const std::int64_t taken = hub_columns(bands, columns, a.cols);
    const double hot = group_columns(a.col_idx, nnz, a.cols).share_of(taken);
    if (hot < kLeastHot)
        f.illegal = "the " + std::to_string(taken) + " columns with the most entries hold " +
                    std::to_string(static_cast<int>(100 * hot)) + " % of them";
    const auto entries = static_cast<std::uint64_t>(nnz);
    f.moved_bytes = moved_bytes<T>(entries, 0, taken);
    // Each entry may be all that its row has in a band.
    const std::uint64_t filled = static_cast<std::uint64_t>(bands + 1) * kTileEntries;
    const std::uint64_t blocks = static_cast<std::uint64_t>(multiprocessors()) + 1;
    f.storage_bytes =
        moved_bytes<T>(0, entries, taken) + filled * (sizeof(T) + sizeof(std::uint32_t)) +
        (entries + filled) * sizeof(index_t) +
        (entries / kTileEntries + filled) * sizeof(std::int32_t) +
        (blocks + static_cast<std::uint64_t>(bands)) * (sizeof(HubShare) + sizeof(std::int32_t));
    return f;
}

template <class T, class P>
std::vector<LayoutEstimate> HubFormat::estimate(CsrView<T, P> a, const Features&,
                                                std::span<const Params> params) {
    std::vector<LayoutEstimate> told(params.size(), {std::numeric_limits<double>::infinity()});
    std::optional<ColumnGroups> groups;
    const auto rows = static_cast<double>(a.rows), nnz = static_cast<double>(a.nnz());
    for (std::size_t i = 0; i < params.size(); ++i) {
        const int bands = get(params[i], "n"), columns = get(params[i], "k");
        if (!illegal(a.nnz(), a.cols, sizeof(T), bands, columns).empty()) continue;
        if (!groups) groups = group_columns(a.col_idx, a.nnz(), a.cols);
        double held = 0, sums = 0;
        for (int b = 1; b <= bands; ++b) {
            const double up_to_here = groups->share_of(hub_columns(b, columns, a.cols));
            sums += rows * -std::expm1(-(up_to_here - held) * nnz / rows);
            held = up_to_here;
        }
        if (held < kLeastHot) continue;
        const double cold = (1 - held) * nnz;
        const std::uint64_t bytes =
            moved_bytes<T>(static_cast<std::uint64_t>(nnz - cold), static_cast<std::uint64_t>(cold),
                           hub_columns(bands, columns, a.cols));
        const double named = sums + std::min(cold, rows);  // rows
        told[i] = {static_cast<double>(bytes) + named * sizeof(index_t), cold, sums};
    }
    return told;
}

template <class T, class P>
std::unique_ptr<Storage> HubFormat::convert(CsrView<T, P> a, const Params& params, int) {
    auto s = std::make_unique<HubStorage<T>>();
    s->rows = a.rows;
    s->cols = a.cols;
    const int bands = get(params, "n"), columns = get(params, "k");
    const std::int64_t nnz = a.nnz();
    const auto entries = static_cast<std::size_t>(nnz), cols = static_cast<std::size_t>(a.cols);
    s->band = columns;

    const std::int64_t taken = hub_columns(bands, columns, a.cols);
    DeviceBuffer<index_t> place(cols);
    {
        const DeviceBuffer<index_t> popular = popular_columns(a);
        DeviceBuffer<std::uint32_t> band(cols);
        DeviceBuffer<index_t> column(cols);
        name_bands<<<blocks_for(a.cols, kThreads), kThreads>>>(
            popular.data(), taken, columns, a.cols, bands, band.data(), column.data());
        SPTUNE_CUDA_LAUNCHED("name_bands");
        sort_by_key(band, column, bits_for(static_cast<std::uint64_t>(bands)));
        s->hub = DeviceBuffer<index_t>(static_cast<std::size_t>(taken));
        SPTUNE_CUDA(cudaMemcpyAsync(s->hub.data(), column.data(), s->hub.bytes(),
                                    cudaMemcpyDeviceToDevice, nullptr));
        place.fill_bytes(0xff);
        name_places<<<blocks_for(taken, kThreads), kThreads>>>(s->hub.data(), taken, place.data());
        SPTUNE_CUDA_LAUNCHED("name_places");
    }

    DeviceBuffer<index_t> entry(entries);
    DeviceBuffer<std::int64_t> begins(static_cast<std::size_t>(bands) + 2);
    {
        DeviceBuffer<std::uint32_t> band(entries);
        bands_of_entries<<<blocks_for(nnz, kThreads), kThreads>>>(
            a.col_idx, nnz, place.data(), columns, bands, band.data(), entry.data());
        SPTUNE_CUDA_LAUNCHED("bands_of_entries");
        sort_by_key(band, entry, bits_for(static_cast<std::uint64_t>(bands)));
        find_begins<<<blocks_for(nnz + 1, kThreads), kThreads>>>(band.data(), nnz, bands + 1,
                                                                 begins.data());
        SPTUNE_CUDA_LAUNCHED("find_begins");
    }
    const Buffer<std::int64_t> begin = begins.to_host();
    DeviceBuffer<index_t> row_of(entries);
    rows_of_entries(a.row_ptr, a.rows, nnz, row_of.data());
    const Stretches hot = stretches_of(begin.data(), bands, columns);
    s->hot = tiles_of<std::uint16_t>(a, hot, entry.data(), row_of.data(), place.data());
    s->cold = tiles_of<std::uint32_t>(a, stretches_of(begin.data() + bands, 1, 0), entry.data(),
                                      row_of.data(), place.data());

    const HubShares shares = share_tiles({hot.tile.data(), static_cast<std::size_t>(bands) + 1},
                                         columns, taken, multiprocessors());
    s->blocks = static_cast<std::int32_t>(shares.share_ptr.size()) - 1;
    s->share = DeviceBuffer<HubShare>(shares.share.data(), shares.share.size());
    s->share_ptr = DeviceBuffer<std::int32_t>(shares.share_ptr.data(), shares.share_ptr.size());
    SPTUNE_CUDA(cudaStreamSynchronize(nullptr));
    return s;
}

SPTUNE_INSTANTIATE_FORMAT(HubFormat)
#define SPTUNE_INSTANTIATE(T, P)                                                             \
    template std::vector<LayoutEstimate> HubFormat::estimate(CsrView<T, P>, const Features&, \
                                                             std::span<const Params>);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune::cuda
