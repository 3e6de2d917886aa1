// Random numbers of columns, and random columns, for the rows of generated matrices: the same on
// every platform.
#pragma once

#include "matrix/counter_random.hpp"
#include "matrix/types.hpp"

#include <cstdint>
#include <vector>

namespace sptune {

/// Poisson: uniforms multiplied until they fall below e^-mean, in parts that do not underflow.
std::int64_t poisson(Stream& stream, double mean);

/// A random count with this mean and at most Poisson variance stays below this.
std::int64_t far_above(double mean);

/// [first, last).
void append_range(std::int64_t first, std::int64_t last, std::vector<index_t>& out);

/// Each of [first, last) with chance p, by geometric jumps: exact, sorted, O(result).
void append_bernoulli(Stream& stream, std::int64_t first, std::int64_t last, double p,
                      std::vector<index_t>& out);

/// Sorts and removes duplicates; through a bitmap where that is cheaper than comparing.
void sort_unique(std::vector<index_t>& list, index_t cols);

/// `count` distinct of [0, cols), the first ones of the sequence draw(), then of a uniform one
/// (so that a skewed draw() that repeats itself cannot hang). Unbiased, because every round draws
/// exactly what is missing. Beyond cols / 2 the uniform complement is drawn instead.
template <class Draw>
void append_distinct(Stream& stream, std::int64_t count, index_t cols, const Draw& draw,
                     std::vector<index_t>& out) {
    const auto n = static_cast<std::uint32_t>(cols);
    const auto uniform = [&] { return static_cast<index_t>(stream.below(n)); };
    const bool complement = count > cols / 2;
    const auto wanted = static_cast<std::size_t>(complement ? cols - count : count);
    for (bool first = true; out.size() < wanted; first = false) {
        for (std::size_t k = out.size(); k < wanted; ++k)
            out.push_back(first && !complement ? draw() : uniform());
        sort_unique(out, cols);
    }
    if (!complement) return;
    const std::vector<index_t> missing = out;
    out.clear();
    for (index_t c = 0, k = 0; c < cols; ++c) {
        if (k < static_cast<index_t>(missing.size()) && missing[static_cast<std::size_t>(k)] == c)
            ++k;
        else
            out.push_back(c);
    }
}

}  // namespace sptune
