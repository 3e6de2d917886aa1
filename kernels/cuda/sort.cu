#include "kernels/cuda/sort.hpp"
#include "matrix/cuda/scratch.hpp"

#include <bit>

#include <cub/device/device_radix_sort.cuh>

namespace sptune::cuda {
namespace {

template <class Key, class Item>
void sort(DeviceBuffer<Key>& keys, DeviceBuffer<Item>& items, int bits) {
    if (keys.empty()) return;
    DeviceBuffer<Key> other_keys(keys.size());
    DeviceBuffer<Item> other_items(items.size());
    cub::DoubleBuffer<Key> k(keys.data(), other_keys.data());
    cub::DoubleBuffer<Item> i(items.data(), other_items.data());
    with_scratch([&](void* scratch, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortPairs(scratch, bytes, k, i,
                                               static_cast<std::int64_t>(keys.size()), 0, bits);
    });
    if (k.Current() == other_keys.data()) keys = std::move(other_keys);
    if (i.Current() == other_items.data()) items = std::move(other_items);
}

}  // namespace

void sort_by_key(DeviceBuffer<std::uint32_t>& keys, DeviceBuffer<index_t>& items, int bits) {
    sort(keys, items, bits);
}
void sort_by_key(DeviceBuffer<std::uint64_t>& keys, DeviceBuffer<index_t>& items, int bits) {
    sort(keys, items, bits);
}
void sort_by_key(DeviceBuffer<std::uint64_t>& keys, DeviceBuffer<std::int64_t>& items, int bits) {
    sort(keys, items, bits);
}

int bits_for(std::uint64_t limit) {
    return limit == 0 ? 1 : std::bit_width(limit);
}

}  // namespace sptune::cuda
