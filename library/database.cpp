#include "library/database.hpp"

#include "matrix/error.hpp"

namespace sptune::library {

std::optional<db::Store> open_store(const char* where) {
    if (where) return *where ? std::optional<db::Store>(db::Store(where)) : std::nullopt;
    try {
        return db::Store(db::default_path());
    } catch (const Error&) {  // no home: nothing is stored for this user
        return std::nullopt;
    }
}

}  // namespace sptune::library
