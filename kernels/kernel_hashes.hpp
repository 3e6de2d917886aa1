// Tells whether the source of a kernel has changed since a time was stored.
#pragma once

#include <string>
#include <string_view>

namespace sptune {

/// Twelve hexadecimal digits over the sources of `format`; empty for a format that is not ours.
std::string kernel_hash(std::string_view format);

}  // namespace sptune
