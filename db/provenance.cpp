#include "db/provenance.hpp"

#include <fmt/format.h>

namespace sptune::db {

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

void sign(Provenance& provenance) {
    provenance.sptune_version = version();
    provenance.compiler = compiler();
    provenance.created_utc = utc_time();
}

}  // namespace sptune::db
