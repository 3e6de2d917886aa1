// The kernels of this build, as far as a command has to know them.
#pragma once

#include "kernels/variant.hpp"

#include <string>
#include <vector>

namespace sptune::cli {

/// Has MKL take part from where --mkl says it is; an empty path says nothing. Call it before any
/// kernels are listed. Throws InputError where there is no MKL.
void use_mkl(const std::string& path);

/// All of one type, the vendor's included where they could be loaded.
std::vector<Variant> variants_of(Op op, Backend backend, ValueType value, IndexType index);

/// The ids of both widths of row pointers: only a matrix tells which it needs.
std::vector<std::string> kernel_ids(Op op, const std::vector<Backend>& backends, ValueType value);

/// Throws UsageError where no kernel of any of the backends matches `globs`; warns of those globs
/// among them that match none.
void require_variants(const std::string& globs, Op op, const std::vector<Backend>& backends,
                      ValueType value);

/// Throws UsageError where the words of `id` say that it is no kernel for products of such values
/// on `backend`, and DeviceError where it is one for a GPU and there is none.
void require_product_kernel(const std::string& id, Backend backend, ValueType value);

}  // namespace sptune::cli
