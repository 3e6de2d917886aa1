#include "library/database.hpp"

namespace sptune::library {

std::shared_ptr<const db::Databases> open_databases(const char* where) {
    if (where && !*where) return nullptr;
    return std::make_shared<const db::Databases>(where ? std::string(where) : std::string());
}

}  // namespace sptune::library
