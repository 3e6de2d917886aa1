#include "cli/matrix_input.hpp"

#include <filesystem>

namespace sptune::cli {

ValueType parse_precision(const std::string& word) {
    return word == "f32" ? ValueType::f32 : ValueType::f64;
}

std::string matrix_name(const std::string& path) {
    std::string name = std::filesystem::path(path).filename().string();
    for (const std::string_view ending : {".gz", ".mtx", ".spt", ".bsm"})
        if (name.size() > ending.size() && name.ends_with(ending))
            name.resize(name.size() - ending.size());
    return name;
}

}  // namespace sptune::cli
