// What plain CSR takes at least, which other times are told relative to.
#pragma once

#include "db/entry.hpp"
#include "features/features.hpp"
#include "kernels/variant.hpp"

namespace sptune::models {

/// What plain CSR's arrays take at the device's bandwidth, in microseconds.
double streaming_us(const Features& features, const db::Device& device, ValueType value);

/// What a call of plain CSR takes before that.
double start_us(const db::Device& device);

}  // namespace sptune::models
