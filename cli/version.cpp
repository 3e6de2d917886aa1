#include "cli/version.hpp"

#include <fmt/format.h>

namespace sptune::cli {

std::string version() {
    return SPTUNE_VERSION;
}

std::string compiler() {
#ifdef __clang__
    return fmt::format("Clang {}", __clang_version__);
#else
    return fmt::format("GCC {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

}  // namespace sptune::cli
