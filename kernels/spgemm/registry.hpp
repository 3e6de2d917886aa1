// Every SpGEMM kernel instance of this build, by id.
#pragma once

#include "kernels/registry.hpp"
#include "kernels/spgemm/kernel.hpp"

#include <string>
#include <vector>

namespace sptune {

/// All SpGEMM kernels of `backend` for (T, P), in a fixed order; made once, then shared. Vendor
/// kernels are in it only where their library could be loaded. Throws DeviceError where this build
/// or this machine has no GPU to run them.
template <class T, class P>
const std::vector<SpgemmKernel<T, P>>& spgemm_kernels(Backend backend);

/// Id of the baseline that every speed-up is measured against: on the CPU row-parallel Gustavson
/// in its textbook form, on the GPU expand, sort, compress.
std::string spgemm_baseline_id(Backend backend, ValueType value, IndexType index);

/// A good kernel for a pair that nothing is known of but the coefficient of variation of the
/// products per row. On the GPU the one that is closest to the fastest over 225 sweeps of an H100:
/// 11 % behind in geometric mean.
Variant spgemm_default(Backend backend, ValueType value, IndexType index, double products_cv);

/// The CPU's kernel that needs least beside C where B has many columns: a table as long as a row.
std::string spgemm_thrifty_id(ValueType value, IndexType index);

/// The kernel with this id; nullptr where this build or machine does not have it.
template <class T, class P>
const SpgemmKernel<T, P>* spgemm_kernel_or_null(Backend backend, const std::string& id);

/// The kernel with this id. Throws UsageError naming a few that exist.
template <class T, class P>
const SpgemmKernel<T, P>& find_spgemm_kernel(Backend backend, const std::string& id);

}  // namespace sptune
