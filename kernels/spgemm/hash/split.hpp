// The rows of A cut into pieces of a few entries, each a row of its own, for the GPU.
#pragma once

#include "matrix/types.hpp"

#include <cstdint>

namespace sptune::cuda::hash {

/// Pieces of at most `length` entries that `rows` rows with `entries` entries can have; an empty
/// row is one piece.
inline std::int64_t most_pieces(index_t rows, std::int64_t entries, int length) {
    return rows + entries / length;
}

/// first[i], i in [0, rows]: the first piece of row i. begin[p], p in [0, pieces]: where piece p
/// begins among the entries, which is their end for pieces that do not exist. part, one: 0, 1, 2 …
/// and ones, `pieces` of them: with `first` they are the matrix that adds up the pieces of each
/// row. `scratch` of scan_bytes<P>(rows) bytes. All in `stream`.
template <class T, class P>
void cut_rows(index_t rows, const P* row_ptr, std::int64_t entries, int length, std::int64_t pieces,
              P* first, P* begin, index_t* part, T* one, void* scratch, std::size_t scratch_bytes,
              void* stream);

}  // namespace sptune::cuda::hash
