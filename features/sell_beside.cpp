#include "features/sell_beside.hpp"

#include "features/wide_loops.hpp"

namespace sptune {

template <class P>
SellSlots slots_beside(const P* row_ptr, RowWindow block, const SellSlots& padded,
                       const LongRowRule& rule, bool exact) {
    const std::int64_t longest = length_range(row_ptr, block.first, block.last).longest;
    if (longest < rule.least()) return padded;
    const auto without = [&](std::int64_t least) {
        if (longest < least) return padded;
        std::vector<P> kept{0};
        for (std::int64_t i = block.first; i < block.last; ++i) {
            const P length = row_ptr[i + 1] - row_ptr[i];
            kept.push_back(kept.back() + (length < least ? length : 0));
        }
        return sell_slots(kept.data(), {0, block.last - block.first}, exact);
    };
    SellSlots slots = without(rule.always());
    const SellSlots shortest = without(rule.least());
    const std::int64_t always = padded.entries - slots.entries;
    const std::int64_t more = slots.entries - shortest.entries;
    for (std::size_t p = 0; p < slots.stored.size(); ++p)
        slots.stored[p] = always + fewer_beside(slots.stored[p], shortest.stored[p], more);
    slots.entries = padded.entries;
    return slots;
}

template SellSlots slots_beside(const std::int32_t*, RowWindow, const SellSlots&,
                                const LongRowRule&, bool);
template SellSlots slots_beside(const std::int64_t*, RowWindow, const SellSlots&,
                                const LongRowRule&, bool);

}  // namespace sptune
