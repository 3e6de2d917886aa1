// One launch of the kernels of hash SpGEMM.
#pragma once

#include "kernels/spgemm/hash/plan.hpp"

namespace sptune::cuda::hash {

/// count: only the lengths of the rows of C. pack: rows go to wherever there is room, and their
/// place and length are noted. write: rows go where the row pointer says.
enum class Mode { count, pack, write };

template <class T, class P>
struct Job {
    CsrView<T, P> a, b;
    RowWork work;
    P* row_ptr = nullptr;           ///< count, pack: lengths go in; write: where rows begin
    std::int64_t* place = nullptr;  ///< pack: where rows begin
    index_t* col = nullptr;         ///< of C, or of the temporary
    T* value = nullptr;
    std::int64_t capacity = 0;  ///< pack: entries that `col` and `value` have room for
    int chunk = 256;            ///< pack: entries that a team takes at a time
    int stride = 1;             ///< count: only every stride-th row of each class
    bool sorted = true;
    bool b_sorted = false;    ///< the columns of each row of B rise, as far as anybody has looked
    bool hash_first = false;  ///< a hash table wherever it is large enough, else a bitmap
};

/// Shared memory of a team, in bytes.
struct TeamSizes {
    int block = 256;      ///< threads of a block, for rows of class kBlockRow
    int warp_bytes = 0;   ///< of a warp, for kWarpRow
    int block_bytes = 0;  ///< of a block, for kBlockRow
    int big_bytes = 0;    ///< of a block of kBigBlock threads, for kBigRow
    bool blocks = true;   ///< whether rows of kBlockRow can exist
    bool bigs = true;     ///< whether rows of kBigRow can exist
};
inline constexpr int kLightBlock = 256;
inline constexpr int kBigBlock = 1024;

/// Runs the kernels for all classes of rows, in `stream`.
template <Mode mode, class T, class P>
void multiply_rows(const Job<T, P>& job, const TeamSizes& sizes, void* stream);

/// Copies packed rows to where the row pointer says.
template <class T, class P>
void place_rows(const Job<T, P>& packed, index_t* col, T* value, std::int64_t entries,
                void* stream);

}  // namespace sptune::cuda::hash
