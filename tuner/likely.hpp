// Which kernels models expect to be the fastest: those that a sweep begins with.
#pragma once

#include "features/features.hpp"
#include "features/product.hpp"
#include "kernels/variant.hpp"
#include "matrix/csr.hpp"

#include <string>
#include <vector>

namespace sptune::tuner {

/// Ids, the likeliest first: a handful, or none where nothing is known of the device. `a` lies in
/// the memory of `backend`. threads 0: all.
template <class T, class P>
std::vector<std::string> likely_spmv(CsrView<T, P> a, const Features& features, Backend backend,
                                     int threads);
template <class T, class P>
std::vector<std::string> likely_product(const ProductFeatures& product, Backend backend,
                                        int threads);

}  // namespace sptune::tuner
