// Tells whether the source of a kernel has changed since a time was stored.
#pragma once

#include "kernels/variant.hpp"

#include <string>
#include <string_view>

namespace sptune {

/// Twelve hexadecimal digits over the sources of `format` for `backend`; empty for a format that is
/// not ours.
std::string kernel_hash(Backend backend, std::string_view format);

}  // namespace sptune
