// Several vectors of a caller, as they lie in memory.
#pragma once

#include "library/overlap.hpp"
#include "library/require.hpp"
#include "matrix/error.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

#include <fmt/format.h>

namespace sptune::library {

enum class Order {
    vectors,  ///< one after another ("column-major")
    rows,     ///< entry i of all of them, then entry i + 1 ("row-major")
};

/// What is contiguous of `count` vectors with `size` entries each: vectors or rows, `step` entries
/// apart.
template <class T>
struct Lines {
    T* data;
    std::size_t step, size, count;
    Order order;

    std::size_t lines() const { return order == Order::rows ? size : count; }
    std::size_t length() const { return order == Order::rows ? count : size; }
    bool empty() const { return size == 0 || count == 0; }
    /// As kernels may take it, who read from one to the next.
    std::size_t sound_step() const { return lines() > 1 ? step : length(); }
    T* line(std::size_t i) const { return data + i * step; }
    /// Entries from the first to the last.
    std::size_t span() const { return empty() ? 0 : (lines() - 1) * step + length(); }
};

/// Throws UsageError where they cannot be right; `apart`: lines must not overlap each other.
template <class T>
void require_lines(const Lines<T>& v, const char* what, bool apart) {
    require(v.data || v.empty(), what[0] == 'x' ? "x is null" : "y is null");
    const bool rows = v.order == Order::rows;
    if (v.empty() || (v.lines() == 1 && !rows)) return;
    if (apart && v.step < v.length())
        throw UsageError(fmt::format("ld{} is {}, but each {}{} has {} entries: they would overlap",
                                     what, v.step, rows ? "row of " : "", what, v.length()));
    if (v.step > std::numeric_limits<std::ptrdiff_t>::max() / sizeof(T) / v.lines())
        throw UsageError(fmt::format(
            "ld{} is {}, and {} {} that far apart do not fit into memory; is it negative?", what,
            v.step, v.lines(), rows ? "rows" : "vectors"));
}

/// Whether no line of x overlaps one of y.
template <class T>
bool are_apart(const Lines<const T>& x, const Lines<T>& y) {
    if (x.empty() || y.empty() || are_apart(x.data, x.span(), y.data, y.span())) return true;
    if (x.step == y.step && x.step > 0) {  // columns of one array, say, of millions of rows
        const std::size_t bytes = x.step * sizeof(T);
        const std::size_t behind = (reinterpret_cast<std::uintptr_t>(y.data) % bytes + bytes -
                                    reinterpret_cast<std::uintptr_t>(x.data) % bytes) %
                                   bytes;
        if (behind >= x.length() * sizeof(T) && behind + y.length() * sizeof(T) <= bytes)
            return true;
    }
    for (std::size_t i = 0, j = 0; i < x.lines() && j < y.lines();) {  // they may lie in turns
        if (!are_apart(x.line(i), x.length(), y.line(j), y.length())) return false;
        // The one that comes first has nothing to do with later ones.
        ++(std::less<>()(x.line(i), static_cast<const T*>(y.line(j))) ? i : j);
    }
    return true;
}

}  // namespace sptune::library
