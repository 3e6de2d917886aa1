// Which slots the rows have: one each, or several where they are long.
#pragma once

#include "kernels/cuda/device.cuh"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/primitives.hpp"
#include "matrix/csr.hpp"
#include "matrix/partition_point.hpp"

#include <utility>

namespace sptune::cuda {

namespace {  // each source has its own: docs/add-a-format.md

constexpr int kThreads = 256;

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
}  // namespace sptune::cuda
