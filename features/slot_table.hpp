// Consecutive numbers for the few keys that a sample meets out of many possible ones.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sptune {

/// Hash table from keys below 2^32 - 1 to 0, 1, 2 … in order of their first appearance. Sized by
/// the sample, where an array over all keys would cost a page fault for almost every one met.
class SlotTable {
  public:
    /// Forgets all keys; up to `most` different ones may follow. Keeps its memory.
    void reset(std::size_t most) {
        const std::size_t places = std::bit_ceil(2 * most + 2);
        shift_ = 32 - std::countr_zero(places);
        places_.assign(places, Place{});
        keys_.clear();
        if (keys_.capacity() < most) keys_.reserve(most);
    }
    std::uint32_t operator[](std::uint32_t key) {
        for (std::size_t at = key * 0x9e3779b1u >> shift_;; at = (at + 1) & (places_.size() - 1)) {
            Place& place = places_[at];
            if (place.key == key) return place.slot;
            if (place.key != kFree) continue;
            place = {key, static_cast<std::uint32_t>(keys_.size())};
            keys_.push_back(key);
            return place.slot;
        }
    }
    /// Keys in the order of their slots.
    const std::vector<std::uint32_t>& keys() const { return keys_; }

  private:
    static constexpr std::uint32_t kFree = ~std::uint32_t{0};
    struct Place {
        std::uint32_t key = kFree, slot = 0;
    };
    std::vector<Place> places_;
    std::vector<std::uint32_t> keys_;
    int shift_ = 0;
};

}  // namespace sptune
