// A matrix in words.
#pragma once

#include "db/entry.hpp"
#include "features/features.hpp"
#include "matrix/csr.hpp"

#include <string>
#include <vector>

namespace sptune::cli {

/// Short phrases on what is special about the structure, the most telling first, e.g.
/// {"5 dense diagonals hold 100 % of the nonzeros", "symmetric"}. Never empty.
std::vector<std::string> describe(const Features& features);

/// How many rows have which length, as a line of at most 16 bars, e.g. "▁▃█▅▂▁": one bar per
/// length where lengths are few, else logarithmic bins from the shortest to the longest row. The
/// height is the square root of the number of rows. Empty for a matrix without rows.
template <class T, class P>
std::string row_length_sparkline(CsrView<T, P> matrix, const Features& features);

/// Whether kernels were measured without the values, since all of these are the same.
bool was_without_values(const db::Entry& entry);
/// What that means.
inline constexpr const char* kWithoutValues =
    "all values are the same, and sell on a CPU leaves them out: with others it takes longer";

/// "AMD EPYC …, 2 threads, AVX2, 36 GB/s from memory", "NVIDIA H200, 132 multiprocessors, …".
std::string device_text(const db::Device& device);

}  // namespace sptune::cli
