// Stands in for cuSPARSE in a build without the CUDA toolkit, or without cuSPARSE's header.
#include "kernels/registry.hpp"
#include "kernels/vendor/spgemm.hpp"
#include "kernels/vendor/vendor.hpp"

namespace sptune {

std::string cusparse_status() {
    return "built without cuSPARSE's header";
}

void add_cusparse_kernels(KernelList<float>&) {}
void add_cusparse_kernels(KernelList<double>&) {}
double cusparse_start_us() {
    return 0;
}
void add_cusparse_spgemm_kernels(SpgemmKernelList<float>&) {}
void add_cusparse_spgemm_kernels(SpgemmKernelList<double>&) {}

}  // namespace sptune
