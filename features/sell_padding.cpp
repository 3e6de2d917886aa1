#include "features/sell_padding.hpp"

#include <algorithm>
#include <functional>

namespace sptune {
namespace {

using Lengths = std::vector<index_t>;

/// Σ over slices of C · longest, for rows that are sorted inside windows of σ rows, longest first.
std::int64_t slots_of_sorted(const Lengths& lengths, std::size_t c, std::size_t sigma) {
    std::int64_t longest = 0;
    for (std::size_t window = 0; window < lengths.size(); window += sigma)
        for (std::size_t i = window; i < std::min(lengths.size(), window + sigma); i += c)
            longest += lengths[i];
    return longest * static_cast<std::int64_t>(c);
}

std::int64_t slots_of_unsorted(const Lengths& lengths, std::size_t c) {
    std::int64_t sum = 0;
    for (std::size_t first = 0; first < lengths.size(); first += c) {
        index_t longest = 0;
        for (std::size_t i = first; i < std::min(lengths.size(), first + c); ++i)
            longest = std::max(longest, lengths[i]);
        sum += longest;
    }
    return sum * static_cast<std::int64_t>(c);
}

/// Sorts windows of 2 · width rows whose halves are sorted already. Branch-free inside: which half
/// is next cannot be predicted.
void merge_windows(Lengths& lengths, std::size_t width, Lengths& scratch) {
    const std::size_t n = lengths.size();
    scratch.resize(n);
    for (std::size_t first = 0; first < n; first += 2 * width) {
        const std::size_t middle = std::min(n, first + width), last = std::min(n, middle + width);
        std::size_t left = first, right = middle, to = first;
        while (left < middle && right < last) {
            const index_t a = lengths[left], b = lengths[right];
            const bool take_right = b > a;
            scratch[to++] = take_right ? b : a;
            right += take_right;
            left += !take_right;
        }
        const auto at = [](Lengths& v, std::size_t i) { return v.data() + i; };
        std::copy(at(lengths, left), at(lengths, middle), at(scratch, to));
        std::copy(at(lengths, right), at(lengths, last), at(scratch, to + middle - left));
    }
    lengths.swap(scratch);
}

/// Puts in each window of σ = 2C rows the longest row first and the one of rank C at its place,
/// which is all that slots_of_sorted() looks at.
void select_slice_heads(Lengths& lengths, std::size_t c, std::size_t sigma) {
    const auto at = [&](std::size_t i) {
        return lengths.begin() + static_cast<std::ptrdiff_t>(std::min(lengths.size(), i));
    };
    for (std::size_t first = 0; first < lengths.size(); first += sigma) {
        if (first + c < lengths.size())
            std::nth_element(at(first), at(first + c), at(first + sigma), std::greater<>());
        std::iter_swap(at(first), std::max_element(at(first), at(first + c)));
    }
}

}  // namespace

void SellSlots::merge(const SellSlots& other) {
    for (std::size_t i = 0; i < stored.size(); ++i) stored[i] += other.stored[i];
    entries += other.entries;
}

template <class P>
SellSlots sell_slots(const P* row_ptr, RowWindow block) {
    const auto& probes = sell_probes();
    Lengths lengths;
    lengths.reserve(static_cast<std::size_t>(block.last - block.first));
    for (std::int64_t i = block.first; i < block.last; ++i)
        lengths.push_back(static_cast<index_t>(row_ptr[i + 1] - row_ptr[i]));
    const auto [shortest, longest] = std::ranges::minmax(lengths);
    SellSlots slots;
    slots.entries = row_ptr[block.last] - row_ptr[block.first];

    const auto fill = [&](std::size_t sigma, const Lengths& sorted) {
        for (std::size_t p = 0; p < probes.size(); ++p)
            if (static_cast<std::size_t>(probes[p].sigma) == sigma)
                slots.stored[p] =
                    slots_of_sorted(sorted, static_cast<std::size_t>(probes[p].c), sigma);
    };
    for (std::size_t p = 0; p < probes.size(); ++p)
        if (probes[p].sigma == 1 || shortest == longest)  // equal rows need no sorting
            slots.stored[p] = slots_of_unsorted(lengths, static_cast<std::size_t>(probes[p].c));
    if (shortest == longest) return slots;

    Lengths scratch;
    for (const SellProbe& probe : probes) {
        const auto c = static_cast<std::size_t>(probe.c),
                   sigma = static_cast<std::size_t>(probe.sigma);
        if (sigma < 2 || (sigma & (sigma - 1)) == 0) continue;
        scratch = lengths;
        select_slice_heads(scratch, c, sigma);
        fill(sigma, scratch);
    }
    // A merge sort passes through every power of two on its way up.
    for (std::size_t width = 1; width < kSellBlock; width *= 2) {
        merge_windows(lengths, width, scratch);
        fill(2 * width, lengths);
    }
    return slots;
}

void describe_sell(const SellSlots& slots, Features& f) {
    for (std::size_t p = 0; p < slots.stored.size(); ++p)
        if (f.sell[p].sigma != 0 && slots.entries > 0)
            f.sell[p].padding =
                static_cast<double>(slots.stored[p]) / static_cast<double>(slots.entries) - 1;
}

template SellSlots sell_slots(const std::int32_t*, RowWindow);
template SellSlots sell_slots(const std::int64_t*, RowWindow);

}  // namespace sptune
