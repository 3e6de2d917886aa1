// No row is sorted for this. In a sorting window of which N rows have at least t entries, ⌈N / C⌉
// slices begin with such a row, so
//     stored = C · Σ over windows and t ≥ 1 of ⌈N / C⌉;
// unsorted rows (σ = 1) are windows of C rows, with ⌈N / C⌉ = [N > 0]. The N of a window are those
// of its halves added up. Only as many t need a look as there are different lengths.
#include "features/sell_padding.hpp"

#include "features/clones.hpp"
#include "matrix/lasting.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

namespace sptune {
namespace {

constexpr std::size_t kLevels = 13;  // windows of 2^0 … 2^12 = kSellBlock rows
constexpr index_t kNoMore = std::numeric_limits<index_t>::max();

/// Probes by the window they need: unsorted ones C rows, others σ rows.
struct Plan {
    struct Step {
        std::size_t probe;
        int c;  // 0: unsorted
    };
    std::array<std::vector<Step>, kLevels> powers;  // window 2^level
    std::size_t ten = 0, ten_of_twenty = 0, hundred = 0, hundred_of_two = 0;
};

const Plan& plan() {
    static const Plan& list = lasting([] {
        Plan p;
        for (std::size_t i = 0; i < sell_probes().size(); ++i) {
            const auto [c, sigma] = sell_probes()[i];
            if (sigma == 0) continue;
            const auto window = static_cast<unsigned>(sigma == 1 ? c : sigma);
            if (std::has_single_bit(window))
                p.powers[static_cast<std::size_t>(std::countr_zero(window))].push_back(
                    {i, sigma == 1 ? 0 : c});
            else
                (window == 10    ? p.ten
                 : window == 20  ? p.ten_of_twenty
                 : window == 100 ? p.hundred
                                 : p.hundred_of_two) = i;
        }
        return p;
    });
    return list;
}

/// Row 2i + 1 of the block lies half an array behind row 2i, and so on inside the halves: adding
/// neighbouring windows is adding two halves.
std::size_t reversed(std::size_t row, int bits) {
    static constexpr auto six = [] {
        std::array<std::uint8_t, 64> table{};
        for (unsigned i = 0; i < 64; ++i)
            for (unsigned bit = 0; bit < 6; ++bit)
                if (i >> bit & 1) table[i] = static_cast<std::uint8_t>(table[i] | 32u >> bit);
        return table;
    }();
    return (std::size_t{six[row & 63]} << 6 | six[row >> 6]) >> (12 - bits);
}

/// counts[i] = how many of lengths[i], lengths[i + half] are at least t. Returns the smallest
/// length beyond t.
SPTUNE_CLONES
index_t count_pairs(const index_t* lengths, std::size_t half, index_t t, index_t* counts) {
    // What does not lie beyond t wraps around to more than any length; a minimum without a branch.
    const auto after = static_cast<std::uint32_t>(t) + 1;
    std::uint32_t beyond = kNoMore;
    for (std::size_t i = 0; i < half; ++i) {
        const index_t a = lengths[i], b = lengths[i + half];
        counts[i] = (a >= t) + (b >= t);
        beyond = std::min(beyond, std::min(static_cast<std::uint32_t>(a) - after,
                                           static_cast<std::uint32_t>(b) - after));
    }
    return beyond < kNoMore - after ? static_cast<index_t>(beyond + after) : kNoMore;
}

SPTUNE_CLONES
void add_halves(index_t* counts, std::size_t half) {
    for (std::size_t i = 0; i < half; ++i) counts[i] += counts[i + half];
}

/// Σ ⌈counts / 2^shift⌉
SPTUNE_CLONES
index_t slices(const index_t* counts, std::size_t size, int shift) {
    const index_t up = (1 << shift) - 1;
    index_t sum = 0;
    for (std::size_t i = 0; i < size; ++i) sum += (counts[i] + up) >> shift;
    return sum;
}

SPTUNE_CLONES
index_t occupied_windows(const index_t* counts, std::size_t size) {
    index_t sum = 0;
    for (std::size_t i = 0; i < size; ++i) sum += counts[i] > 0;
    return sum;
}

/// counts[i] = how many of ten rows have at least t entries; of those, row r lies at r · size + i.
SPTUNE_CLONES
void count_tens(const index_t* lengths, std::size_t size, index_t t, index_t* counts) {
    for (std::size_t i = 0; i < size; ++i) counts[i] = 0;
    for (std::size_t r = 0; r < 10; ++r)
        for (std::size_t i = 0; i < size; ++i) counts[i] += lengths[r * size + i] >= t;
}

/// Σ ⌈counts / c⌉ for counts up to 2 c.
SPTUNE_CLONES
index_t slices_of_two(const index_t* counts, std::size_t size, index_t c) {
    index_t sum = 0;
    for (std::size_t i = 0; i < size; ++i) sum += (counts[i] > 0) + (counts[i] > c);
    return sum;
}

/// counts[i] = the sum of the `step` counts from step · i on. Returns how many sums that are.
std::size_t add_neighbours(index_t* counts, std::size_t size, std::size_t step) {
    std::size_t sums = 0;
    for (std::size_t first = 0; first < size; first += step) {
        index_t sum = 0;
        for (std::size_t i = first; i < std::min(size, first + step); ++i) sum += counts[i];
        counts[sums++] = sum;
    }
    return sums;
}

index_t rounded(index_t length) {
    return rounded_length(length, static_cast<int>(std::bit_width(static_cast<unsigned>(length))));
}

}  // namespace

void SellSlots::merge(const SellSlots& other) {
    for (std::size_t i = 0; i < stored.size(); ++i) stored[i] += other.stored[i];
    entries += other.entries;
}

template <class P>
SellSlots sell_slots(const P* row_ptr, RowWindow block, bool exact) {
    const auto rows = static_cast<std::size_t>(block.last - block.first);
    const int bits = std::max(1, static_cast<int>(std::bit_width(rows - 1)));
    const std::size_t places = std::size_t{1} << bits, twenties = (rows + 19) / 20;
    // Rows that fill up have no entries, and so begin no slice.
    auto& halved = of_this_thread<std::vector<index_t>, struct Halved>();
    auto& tenths = of_this_thread<std::vector<index_t>, struct Tenths>();
    auto& counts = of_this_thread<std::vector<index_t>, struct Counts>();
    halved.assign(places, 0);
    tenths.assign(20 * twenties, 0);
    counts.resize(std::max(places, 2 * twenties));
    index_t t = kNoMore;
    const auto& probes = sell_probes();
    const Plan& steps = plan();
    SellSlots slots;
    for (std::size_t i = 0, r = 0, twenty = 0; i < rows; ++i) {
        const P* const at = row_ptr + block.first + static_cast<std::int64_t>(i);
        const auto stored = static_cast<index_t>(at[1] - at[0]);
        const index_t length = exact ? stored : rounded(stored);
        halved[reversed(i, bits)] = length;
        tenths[(r < 10 ? 2 * r * twenties : (2 * r - 19) * twenties) + twenty] = length;
        if (++r == 20) r = 0, ++twenty;
        if (length > 0) t = std::min(t, length);
        slots.entries += length;
    }
    for (index_t before = 0; t != kNoMore;) {
        const std::int64_t weight = t - before;
        const auto add = [&](std::size_t probe, index_t heads) {
            slots.stored[probe] += weight * heads * probes[probe].c;
        };
        std::size_t size = places / 2;
        const index_t next = count_pairs(halved.data(), size, t, counts.data());
        for (std::size_t level = 1; level < kLevels; ++level) {
            for (const Plan::Step& step : steps.powers[level])
                add(step.probe, step.c ? slices(counts.data(), size,
                                                std::countr_zero(static_cast<unsigned>(step.c)))
                                       : occupied_windows(counts.data(), size));
            if (size == 1) continue;  // the window holds the whole block
            size /= 2;
            add_halves(counts.data(), size);
        }
        // The even tens lie before the odd ones, so that these are added as halves too.
        index_t* const tens = counts.data();
        count_tens(tenths.data(), 2 * twenties, t, tens);
        add(steps.ten, occupied_windows(tens, 2 * twenties));
        add_halves(tens, twenties);
        add(steps.ten_of_twenty, slices_of_two(tens, twenties, 10));
        const std::size_t hundreds = add_neighbours(tens, twenties, 5);
        add(steps.hundred, occupied_windows(tens, hundreds));
        const std::size_t pairs = add_neighbours(tens, hundreds, 2);
        add(steps.hundred_of_two, slices_of_two(tens, pairs, 100));
        before = t;
        t = next;
    }
    return slots;
}

void describe_sell(const SellSlots& slots, std::int64_t block_rows, std::int64_t rows,
                   std::vector<SellPadding>& sell) {
    const auto all = static_cast<double>(rows);
    const auto block = static_cast<double>(std::min(block_rows, rows));
    double sorted = 0;
    // Probes of one C follow each other, σ = n last.
    for (std::size_t p = sell.size(); p-- > 0;) {
        SellPadding& s = sell[p];
        if (s.sigma == 0) {
            sorted = s.padding;
            continue;
        }
        // Of a sample without entries nothing is known but that sorting all rows pads least.
        s.padding =
            slots.entries == 0
                ? sorted
                : static_cast<double>(slots.stored[p]) / static_cast<double>(slots.entries) - 1;
        const double window = std::min(static_cast<double>(s.sigma), all);
        if (s.sigma > 1 && window > block)
            s.padding =
                sorted + (s.padding - sorted) * (1 / window - 1 / all) / (1 / block - 1 / all);
        s.padding = std::max(s.padding, sorted);
    }
}

template SellSlots sell_slots(const std::int32_t*, RowWindow, bool);
template SellSlots sell_slots(const std::int64_t*, RowWindow, bool);

}  // namespace sptune
