// A program of its own: matrices in host memory leave the GPU alone, until somebody uses it.
#include "matrix/cuda/device_buffer.hpp"
#include "matrix/generate.hpp"
#include "sptune/sptune.hpp"
#include "tests/gpu/needs_gpu.hpp"

#include <vector>

#include <cuda.h>
#include <dlfcn.h>

namespace sptune {
namespace {

/// As the driver itself says it.
bool driver_is_initialized() {
    void* const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (!driver) return false;
    const auto get_current =
        reinterpret_cast<CUresult (*)(CUcontext*)>(dlsym(driver, "cuCtxGetCurrent"));
    CUcontext context = nullptr;
    const bool yes = get_current && get_current(&context) != CUDA_ERROR_NOT_INITIALIZED;
    dlclose(driver);
    return yes;
}

TEST(HostMemory, TheGpuIsLeftAloneUntilSomebodyUsesIt) {
    const Csr<double> a = generate<double, std::int32_t>({"stencil-2d-5", {{"rows", 2500}}, 3});
    const auto v = a.view();
    const csr_view<double> view{v.rows, v.cols, v.row_ptr, v.col_idx, v.values, a.nnz()};
    std::vector<double> x(static_cast<std::size_t>(v.cols), 1.0),
        y(static_cast<std::size_t>(v.rows));
    for (int i = 0; i < 300; ++i) auto_spmv(view, x, y);
    EXPECT_EQ(memory_of(x.data()), backend::cpu);
    EXPECT_FALSE(driver_is_initialized());

    SPTUNE_NEEDS_GPU();
    EXPECT_TRUE(driver_is_initialized());
    const DeviceBuffer<double> there(8);
    EXPECT_EQ(memory_of(there.data()), backend::cuda);
    EXPECT_EQ(memory_of(x.data()), backend::cpu);
}

}  // namespace
}  // namespace sptune
