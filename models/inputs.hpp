// Features as numbers in a row, the form that models compute with.
#pragma once

#include "db/entry.hpp"
#include "features/features.hpp"

#include <array>
#include <string>
#include <vector>

namespace sptune::models {

/// The names of inputs(), in order; part of every model file, so that a model is refused by a
/// version that would feed it something else. New ones come at the end: models know the first few.
const std::vector<std::string>& input_names();

/// All features of matrix and device: sizes as log2, lengths relative to their mean, bytes of the
/// main layouts relative to CSR's, and working sets relative to the last-level cache. Of the
/// device only what is known without measuring, and how long its threads take to start. Finite for
/// every matrix.
std::vector<float> inputs(const Features& features, const db::Device& device, ValueType value);

/// The eleven of BestSF (Benatia, Ji, Wang, Shi: "BestSF: A Sparse Meta-Format for Optimizing SpMV
/// on GPU", ACM TACO 15(3), 2018), computed in double: rows, columns, nnz, mean row length,
/// density, population standard deviation and coefficient of variation of the row length, longest
/// row, longest - mean, mean gap between consecutive columns of a row, occupied diagonals.
std::array<double, 11> bestsf_inputs(const Features& features);

}  // namespace sptune::models
