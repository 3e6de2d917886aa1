// Intel MKL, found at run time: nothing of it is linked and nothing depends on it.
#pragma once

#include <cstdint>
#include <string>

namespace sptune::mkl {

// The part of MKL's inspector-executor C interface (LP64) that SpMV and SpGEMM need. Numbers and
// signatures are those of the oneMKL C reference, "Inspector-Executor Sparse BLAS Routines".
using Handle = void*;
struct Descriptor {
    int type, mode, diag;
};
inline constexpr int kSuccess = 0, kAllocationFailed = 2, kZeroBased = 0, kNonTranspose = 10,
                     kGeneral = 20;
inline constexpr Descriptor kGeneralMatrix{kGeneral, 0, 0};

template <class T>
struct Functions {
    int (*create_csr)(Handle*, int base, int rows, int cols, int* row_begin, int* row_end,
                      int* col_idx, T* values) = nullptr;
    int (*mv)(int operation, T alpha, Handle, Descriptor, const T* x, T beta, T* y) = nullptr;
    int (*export_csr)(Handle, int* base, int* rows, int* cols, int** row_begin, int** row_end,
                      int** col_idx, T** values) = nullptr;
};

struct Library {
    std::string status;  ///< version and file, or why there is none
    bool loaded = false;
    void* handle = nullptr;  ///< dlopen()'s, for what only benches call
    int (*set_mv_hint)(Handle, int operation, Descriptor, int calls) = nullptr;
    int (*optimize)(Handle) = nullptr;
    int (*destroy)(Handle) = nullptr;
    int (*spmm)(int operation, Handle a, Handle b, Handle* c) = nullptr;
    int (*order)(Handle) = nullptr;
    int (*set_num_threads_local)(int) = nullptr;
    Functions<float> f32;
    Functions<double> f64;

    template <class T>
    const Functions<T>& of() const {
        if constexpr (sizeof(T) == 4)
            return f32;
        else
            return f64;
    }
};

/// MKL has so many threads for the calls of this thread as long as this lives: how many it has else
/// is up to the program. 0: all.
class Threads {
  public:
    explicit Threads(int threads);
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;
    ~Threads();

  private:
    int before_;
};

/// Loads MKL on the first call, from set_mkl_path(), else $SPTUNE_MKL (a file or a folder), else
/// the loader's search path.
const Library& library();

}  // namespace sptune::mkl
