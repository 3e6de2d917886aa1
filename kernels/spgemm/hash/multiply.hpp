// Hash SpGEMM on the GPU, for what builds on it.
#pragma once

#include "kernels/spgemm/kernel_list.hpp"
#include "matrix/cuda/device_csr.hpp"

namespace sptune::cuda::hash {

/// How a product is made.
struct Tuning {
    bool pack = true;  ///< rows as they get ready, then in order; else they are counted first
    bool hash_first = false;   ///< hash tables wherever they are large enough, else bitmaps
    int warp_bytes = 6 << 10;  ///< shared memory of a warp
    int warp_products = 1024;  ///< most of a row that a warp takes
    int block = 256;           ///< threads of a block
};

/// Bytes of shared memory that a kernel may ask for on this GPU.
int shared_memory_limit();

/// C = A·B. Throws OutOfMemory, CudaError, SizeOverflow. Waits for the device.
template <class T, class P>
DeviceCsr<T, P> multiply(const SpgemmProblem<T, P>& problem, const Tuning& tuning,
                         const SpgemmOptions& options, cudaStream_t stream);

/// Bytes that multiply() takes beside A, B and C, at most.
template <class T, class P>
std::uint64_t temporary_bytes(const SpgemmProblem<T, P>& problem, const Tuning& tuning);

/// Adds the kernels that split the long rows of A.
template <class T, class P>
void add_split_kernels(SpgemmKernelList<T>& list);

}  // namespace sptune::cuda::hash
