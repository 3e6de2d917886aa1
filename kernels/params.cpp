#include "kernels/params.hpp"

#include <stdexcept>

namespace sptune {

std::string to_string(const Params& params) {
    std::string text;
    for (const Param& p : params) {
        if (!text.empty()) text += '.';
        text += p.name;
        text += p.value == kAll ? "n" : std::to_string(p.value);
    }
    return text;
}

int get(const Params& params, std::string_view name) {
    for (const Param& p : params)
        if (p.name == name) return p.value;
    throw std::logic_error("a kernel asked for parameter '" + std::string(name) +
                           "', which its grid does not have");
}

}  // namespace sptune
