// Every kernel instance of this build, by id.
#pragma once

#include "kernels/spmv/kernel.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sptune {

/// All SpMV kernels of `backend` for (T, P), in a fixed order; made once, then shared.
/// Vendor kernels are in it only where their library could be loaded.
template <class T, class P>
const std::vector<SpmvKernel<T, P>>& spmv_kernels(Backend backend);

/// The baseline that every speed-up is measured against, plain row-parallel CSR, and its id.
Variant spmv_baseline(Backend backend, ValueType value, IndexType index);
std::string spmv_baseline_id(Backend backend, ValueType value, IndexType index);

/// What a vendor's kernels cost a process beside their conversions as long as none of them was
/// looked at, in µs: the library has to be loaded and to start. 0 from then on.
double vendor_start_us(Backend backend);

/// Where MKL is looked for; call before the first spmv_kernels(). Empty: $SPTUNE_MKL, then the
/// loader's own search path.
void set_mkl_path(std::string path);
/// "MKL 2026.2 at …" or why there is none.
std::string mkl_status();
/// "cuSPARSE 12.6.3 at …" or why there is none; looked for at $SPTUNE_CUSPARSE (a file or a
/// folder), else on the loader's search path, else where CUDA toolkits are installed.
std::string cusparse_status();

}  // namespace sptune
