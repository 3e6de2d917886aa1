// How the hash SpGEMM on the GPU divides the rows of C: by the products that fall on them and the
// range of columns they lie in, each row to a team of threads with its share of shared memory.
#pragma once

#include "matrix/csr.hpp"

#include <cstdint>

namespace sptune::cuda::hash {

/// Rows of up to 8, 16, 32, 64 products are sorted in registers; longer ones are accumulated by a
/// warp, a block, or a block with all the memory of a multiprocessor.
enum RowClass : int { kTiny8, kTiny16, kTiny32, kTiny64, kWarpRow, kBlockRow, kBigRow, kClasses };

/// 32-bit words whose bits stand for the columns of a row of C; beside each lies the number of
/// columns before it. A quarter of the memory is left for the sums.
constexpr int bitmap_words(int bytes) {
    return bytes / 4 * 3 / 8 / 4 * 4;
}
constexpr std::int64_t bitmap_columns(int bytes) {
    return std::int64_t{bitmap_words(bytes)} * 32;
}

/// What a hash table takes for each slot: key, sum, and a key with its slot to be sorted.
constexpr int slot_bytes(int value_bytes) {
    return 4 + value_bytes + 8;
}
/// Slots of the largest table, a power of two.
constexpr int hash_slots(int bytes, int value_bytes) {
    int slots = 1;
    while (2 * slots * slot_bytes(value_bytes) <= bytes) slots *= 2;
    return slots;
}
/// Products that may fall into a table: it is never filled beyond three quarters.
constexpr int hash_products(int slots) {
    return slots / 4 * 3;
}

/// What decides on the class of a row.
struct Limits {
    std::int64_t columns = 0;  ///< of B: whether a column and a place fit a 32-bit sorting key
    std::uint32_t products[kClasses] = {};  ///< most for the class
    std::int64_t bitmap[kClasses] = {};     ///< columns of its bitmap
    std::uint32_t table[kClasses] = {};     ///< products that its hash table takes
};

/// In device memory; analyse_rows() begins with zeros.
struct Counters {
    unsigned long long cursor;   ///< entries of the temporary C that are taken
    unsigned long long entries;  ///< of C
    unsigned claimed[kClasses];  ///< rows that blocks took, beyond their first
    unsigned listed[kClasses];   ///< rows of each class; all before is of one launch
};

/// First and last column of a row; low > high for none.
struct Range {
    index_t low, high;
};

/// What is known of the rows of C before multiplying; device memory.
struct RowWork {
    Range* range = nullptr;             ///< of each row of C
    std::uint32_t* products = nullptr;  ///< of each row of C, at most 2^32 - 1
    index_t* listed = nullptr;          ///< rows of each class: kClasses lists of `rows` places
    Counters* counters = nullptr;
};

/// Fills `work` and writes length 0 for rows without products. `b_range` has a place for every row
/// of B, which has at least one. All in `stream`.
template <class P>
void analyse_rows(index_t rows, const P* a_ptr, const index_t* a_col, std::int64_t a_entries,
                  index_t b_rows, const P* b_ptr, const index_t* b_col, std::int64_t b_entries,
                  Range* b_range, const Limits& limits, const RowWork& work, P* lengths,
                  void* stream);

/// Scratch bytes of scan_lengths().
template <class P>
std::size_t scan_bytes(index_t rows);
/// Turns the lengths of `rows` rows into row pointers, in place; rows + 1 numbers.
template <class P>
void scan_lengths(P* lengths, index_t rows, void* scratch, std::size_t bytes, void* stream);

}  // namespace sptune::cuda::hash
