#include "matrix/cuda/memory_cache.hpp"

#include "matrix/cuda/beside_captures.hpp"
#include "matrix/cuda/check.hpp"
#include "matrix/cuda/on_device.hpp"
#include "matrix/cuda/per_device.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <utility>

namespace sptune::cuda {
namespace {

/// Few sizes, so that more often one fits again: by up to an eighth more, and of large ones by less
/// than the 2 MiB that the driver gives at a time.
std::uint64_t rounded(std::uint64_t bytes) {
    constexpr std::uint64_t kLeast = 512, kMost = std::uint64_t{2} << 20;
    const std::uint64_t step = std::clamp(std::bit_floor(bytes) / 8, kLeast, kMost);
    if (bytes > std::numeric_limits<std::uint64_t>::max() - step) return bytes;
    return std::max(step, (bytes + step - 1) / step * step);
}

cudaError_t make(void** p, std::uint64_t size) {
    const BesideCaptures relaxed;
    const cudaError_t state = cudaMalloc(p, size);
    if (state == cudaErrorMemoryAllocation) cudaGetLastError();
    return state;
}

}  // namespace

void* MemoryCache::allocate(std::uint64_t bytes) {
    const int device = current_device();
    const std::uint64_t size = rounded(bytes);
    if (void* const kept = take(device, size, bytes)) return kept;
    Blocks one;  // whose node then moves from list to list
    Block& block = one.emplace(size, Block{nullptr, device, bytes})->second;
    cudaError_t state = make(&block.data, size);
    if (state == cudaErrorMemoryAllocation) {
        // What another thread is about to give back counts as well.
        const std::lock_guard lock(making_room_);
        give_back(device);
        state = make(&block.data, size);
    }
    cuda_check(state, "cudaMalloc", __FILE__, __LINE__, bytes);
    void* const data = block.data;
    try {
        add(one);
    } catch (...) {
        free(block);
        throw;
    }
    return data;
}

/// The smallest one kept that is hardly larger; nullptr: none.
void* MemoryCache::take(int device, std::uint64_t size, std::uint64_t asked) {
    const std::lock_guard lock(mutex_);
    Device& here = devices_[device];
    const auto found = here.kept.lower_bound(size);
    if (found == here.kept.end() || found->first > size + size / 8) return nullptr;
    const auto place = place_.emplace(found->second.data, used_.end()).first;
    here.bytes.kept -= found->first;
    found->second.asked = asked;
    place->second = used_.insert(here.kept.extract(found));
    here.bytes.used += asked;
    here.bytes.peak = std::max(here.bytes.peak, here.bytes.used);
    return place->first;
}

/// Takes the one block over.
void MemoryCache::add(Blocks& one) {
    const std::lock_guard lock(mutex_);
    const Block& block = one.begin()->second;
    Device& here = devices_[block.device];
    const auto place = place_.emplace(block.data, used_.end()).first;
    here.bytes.used += block.asked;
    here.bytes.peak = std::max(here.bytes.peak, here.bytes.used);
    place->second = used_.insert(one.extract(one.begin()));
}

void MemoryCache::release(void* p) noexcept {
    const int device = keep(p);
    if (device == kAnyDevice) return;
    while (const auto node = too_much(device)) free(node.mapped());
}

/// The GPU that it is of, kAnyDevice: none of ours. Moves a node from one list to the other, which
/// asks for no memory.
int MemoryCache::keep(void* p) noexcept {
    const std::lock_guard lock(mutex_);
    const auto place = place_.find(p);
    if (place == place_.end()) return kAnyDevice;
    auto node = used_.extract(place->second);
    place_.erase(place);
    const int device = node.mapped().device;
    Device& here = devices_.find(device)->second;
    here.bytes.used -= node.mapped().asked;
    here.bytes.kept += node.key();
    here.kept.insert(std::move(node));
    return device;
}

/// The largest one kept, which is no longer kept then; none where all may stay.
MemoryCache::Blocks::node_type MemoryCache::too_much(int device) noexcept {
    constexpr std::uint64_t kOfAny = std::uint64_t{64} << 20;
    const std::lock_guard lock(mutex_);
    Device& here = devices_.find(device)->second;
    if (here.bytes.kept <= kOfAny) return {};
    if (here.memory == 0) {
        const int before = go_to_device(device);
        std::size_t free = 0, total = 0;
        if (cudaMemGetInfo(&free, &total) == cudaSuccess) here.memory = total;
        go_to_device(before);
    }
    if (here.bytes.kept <= std::max(kOfAny, here.memory / 8)) return {};
    auto node = here.kept.extract(std::prev(here.kept.end()));
    here.bytes.kept -= node.key();
    return node;
}

void MemoryCache::free(const Block& block) noexcept {
    const BesideCaptures relaxed;
    const int before = go_to_device(block.device);
    if (cudaFree(block.data) != cudaSuccess) cudaGetLastError();  // the next launch is not to blame
    go_to_device(before);
}

void MemoryCache::give_back(int device) {
    Blocks all;
    {
        const std::lock_guard lock(mutex_);
        Device& here = devices_[device];
        all.swap(here.kept);
        here.bytes.kept = 0;
    }
    for (const auto& [size, block] : all) free(block);
}

MemoryCache::Bytes MemoryCache::bytes(int device) const {
    const std::lock_guard lock(mutex_);
    const auto found = devices_.find(device);
    return found == devices_.end() ? Bytes{} : found->second.bytes;
}

void MemoryCache::restart_peak(int device) {
    const std::lock_guard lock(mutex_);
    Bytes& bytes = devices_[device].bytes;
    bytes.peak = bytes.used;
}

}  // namespace sptune::cuda
