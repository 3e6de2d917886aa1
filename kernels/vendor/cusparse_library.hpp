// NVIDIA's cuSPARSE, found at run time: its header is needed to build, its library is not linked.
#pragma once

#include "matrix/cuda/check.hpp"

#include <cstdint>
#include <string>

#include <cusparse.h>

namespace sptune::cusparse {

/// What every cuSPARSE 12 has.
#define SPTUNE_CUSPARSE_FUNCTIONS(X) \
    X(Create)                        \
    X(Destroy)                       \
    X(SetStream)                     \
    X(GetProperty)                   \
    X(GetErrorString)                \
    X(CreateConstCsr)                \
    X(CreateConstCoo)                \
    X(DestroySpMat)                  \
    X(CreateDnVec)                   \
    X(DestroyDnVec)                  \
    X(DnVecSetValues)                \
    X(SpMV_bufferSize)               \
    X(SpMV)

/// What came later: nullptr where the library is too old.
#define SPTUNE_CUSPARSE_LATER(X) \
    X(CreateConstSlicedEll)      \
    X(CreateConstBsr)            \
    X(SpMV_preprocess)           \
    X(CreateCsr)                 \
    X(CsrSetPointers)            \
    X(SpMatGetSize)              \
    X(SpGEMM_createDescr)        \
    X(SpGEMM_destroyDescr)       \
    X(SpGEMM_workEstimation)     \
    X(SpGEMM_estimateMemory)     \
    X(SpGEMM_compute)            \
    X(SpGEMM_copy)

struct Library {
    std::string status;  ///< version and file, or why there is none
    bool loaded = false;
#define SPTUNE_DECLARE(name) decltype(&::cusparse##name) name = nullptr;
    SPTUNE_CUSPARSE_FUNCTIONS(SPTUNE_DECLARE)
    SPTUNE_CUSPARSE_LATER(SPTUNE_DECLARE)
#undef SPTUNE_DECLARE
};

/// Loads cuSPARSE on the first call, from $SPTUNE_CUSPARSE (a file or a folder), else from where
/// the loader looks, else from where CUDA toolkits are installed. Needs no GPU.
const Library& library();

/// cuSPARSE does not do what it was asked for: not with these types, or not in this version.
class Refused : public Error {
  public:
    using Error::Error;
};

/// Throws OutOfMemory, Refused or CudaError unless `status` is success. `bytes`: what the call was
/// about to need, as far as known.
void check(cusparseStatus_t status, const char* call, const char* file, int line,
           std::uint64_t bytes = 0);

/// SPTUNE_CUSPARSE(SpMV, handle, …): calls cusparseSpMV(handle, …) and checks what it says.
#define SPTUNE_CUSPARSE(Function, ...)                                             \
    ::sptune::cusparse::check(::sptune::cusparse::library().Function(__VA_ARGS__), \
                              "cusparse" #Function, __FILE__, __LINE__)

/// The calling thread's handle for the current GPU, set to `stream`: handles must not be shared by
/// threads. It is made at the thread's first call, which must not be inside a graph capture.
cusparseHandle_t handle(cudaStream_t stream);

}  // namespace sptune::cusparse
